"""Where threads live: the saver, the store, the leases and the ledger, behind one URL."""

from paper_search.persistence.leases import LeaseHolder, Leases
from paper_search.persistence.ledger import AuditEntry, DecisionLedger, LedgerEntry, LedgerStatus
from paper_search.persistence.opening import Persistence, open_persistence

__all__ = [
    "AuditEntry",
    "DecisionLedger",
    "LeaseHolder",
    "Leases",
    "LedgerEntry",
    "LedgerStatus",
    "Persistence",
    "open_persistence",
]
