"""The class GraphQL of python-gitlab 5.0 and newer, which sends requests with gql and httpx."""

import gitlab
from gql.transport.exceptions import TransportQueryError

from support import REPORT, RUN, TOKEN, URL, admin, equal, scenario

PATH = f"quay-{RUN}/scanned"
LIST = """
query($path: ID!, $after: String, $state: [VulnerabilityState!]) {
  project(fullPath: $path) {
    vulnerabilities(first: 1, after: $after, state: $state) {
      nodes { id title severity state identifiers { name } hasRemediations }
      pageInfo { hasNextPage endCursor }
    }
  }
}
"""
DISMISS = """
mutation($id: VulnerabilityID!) {
  vulnerabilityDismiss(input: { id: $id, comment: "Only in tests", dismissalReason: USED_IN_TESTS }) {
    errors
    vulnerability { state dismissalReason stateComment }
  }
}
"""


def connect(token=TOKEN, **options):
    return gitlab.GraphQL(URL, token=token, **options)


def raised(error, ask):
    try:
        answer = ask()
    except error as found:
        return found
    raise AssertionError(f"expected {error.__name__}, got {answer!r}")


def nodes_of(client, **variables):
    """Reads all pages."""
    found, after = [], None
    while True:
        page = client.execute(LIST, variable_values={"path": PATH, "after": after, **variables})
        connection = page["project"]["vulnerabilities"]
        found += connection["nodes"]
        if not connection["pageInfo"]["hasNextPage"]:
            return found
        after = connection["pageInfo"]["endCursor"]


@scenario
def the_class_reads_all_pages():
    group = admin.groups.create({"name": f"quay-{RUN}", "path": f"quay-{RUN}"})
    project = admin.projects.create({"name": "scanned", "path": "scanned", "namespace_id": group.id})
    base = f"/projects/{project.id}"
    report = (REPORT.name, REPORT.read_bytes(), "application/json")
    admin.http_post(f"{base}/security_reports", post_data={"report_type": "sast"}, files={"file": report})
    for finding in admin.http_list(f"{base}/vulnerability_findings", get_all=True):
        admin.http_post(f"{base}/vulnerabilities", post_data={"finding_id": finding["id"]})
    listed = admin.http_list(f"{base}/vulnerabilities", get_all=True)
    with connect() as client:
        nodes = nodes_of(client)
    equal([node["id"] for node in nodes], [f"gid://gitlab/Vulnerability/{one['id']}" for one in listed], "ids")
    equal([node["severity"] for node in nodes], ["CRITICAL", "MEDIUM", "INFO"], "severities")


@scenario
def the_class_executes_a_mutation():
    with connect() as client:
        node = nodes_of(client)[0]
        answer = client.execute(DISMISS, variable_values={"id": node["id"]})["vulnerabilityDismiss"]
        changed = {"state": "DISMISSED", "dismissalReason": "USED_IN_TESTS", "stateComment": "Only in tests"}
        equal(answer, {"errors": [], "vulnerability": changed}, "payload")
        equal([one["id"] for one in nodes_of(client, state=["DISMISSED"])], [node["id"]], "dismissed")


@scenario
def the_class_raises_the_errors_of_a_document():
    with connect() as client:
        for document, part in (
            ("{ nothing }", "nothing"),
            ('{ vulnerability(id: "gid://gitlab/Project/1") { id } }', "gid://gitlab/Project/1"),
        ):
            error = raised(TransportQueryError, lambda: client.execute(document))
            assert part in error.errors[0]["message"], error.errors


@scenario
def the_class_reports_a_wrong_token():
    with connect(token="no-such-token") as client:
        # As GitLab does, the server sends 401 with `errors`, which gql takes for a result.
        error = raised(TransportQueryError, lambda: client.execute("{ currentUser { id } }"))
    equal(error.errors, [{"message": "401 Unauthorized"}], "errors")


@scenario
def the_class_loads_the_schema():
    with connect(fetch_schema_from_transport=True) as client:
        answer = client.execute("{ currentUser { username } }")
        equal(answer["currentUser"]["username"], admin.http_get("/user")["username"], "user")
        assert "Vulnerability" in client._client.schema.type_map, "the schema has no vulnerabilities"
        # With a schema the client refuses what the server does not have, before it sends anything.
        refused = raised(Exception, lambda: client.execute("{ nothing }"))
        assert "nothing" in str(refused), refused
