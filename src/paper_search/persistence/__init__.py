"""Storage of threads: the saver, the store, the leases and the ledger, opened by one URL."""

from paper_search.persistence.leases import LeaseHolder, Leases
from paper_search.persistence.ledger import AuditEntry, DecisionLedger, LedgerEntry, LedgerStatus
from paper_search.persistence.opening import Persistence, open_persistence
from paper_search.persistence.threads import PersistenceConfig, ThreadManager

__all__ = [
    "AuditEntry",
    "DecisionLedger",
    "LeaseHolder",
    "Leases",
    "LedgerEntry",
    "LedgerStatus",
    "Persistence",
    "PersistenceConfig",
    "ThreadManager",
    "open_persistence",
]
