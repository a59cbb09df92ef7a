"""The research report: roles that plan, collect, analyse, write and review."""
