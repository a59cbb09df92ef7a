"""Where threads live: the saver, the store and the leases, behind one URL."""

from paper_search.persistence.leases import LeaseHolder, Leases
from paper_search.persistence.opening import Persistence, open_persistence

__all__ = ["LeaseHolder", "Leases", "Persistence", "open_persistence"]
