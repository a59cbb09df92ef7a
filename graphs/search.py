"""The paper-search graph for the server, which brings saver and store itself."""

from paper_search.config import load_config
from paper_search.steps.compiler import compile_workflow
from paper_search.workflow.assembly import assemble_skills
from paper_search.workflow.graph import WORKFLOW

graph = compile_workflow(WORKFLOW, services=assemble_skills(load_config()))
