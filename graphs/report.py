"""The research-report graph for the server, which brings saver and store itself."""

from paper_search.config import load_config
from paper_search.report_workflow.assembly import assemble_report
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.steps.compiler import compile_workflow

graph = compile_workflow(WORKFLOW, services=assemble_report(load_config()))
