"""GraphQL: GitLab's vulnerability schema."""

import gitlab

from support import RUN, TOKEN, URL, admin, as_token, equal, new_user, scenario

NODES = """
query($path: ID!, $after: String) {
  project(fullPath: $path) {
    vulnerabilities(first: 1, after: $after, state: [DETECTED]) {
      nodes { id title severity state identifiers { name } webUrl }
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


def execute(token, document, **variables):
    """Sends a document with python-gitlab's GraphQL client, which versions before 4.12 send as a plain request."""
    if hasattr(gitlab, "GraphQL"):
        with gitlab.GraphQL(URL, token=token) as client:
            return client.execute(document, variable_values=variables)
    answer = as_token(token).http_post(f"{URL}/api/graphql", post_data={"query": document, "variables": variables})
    assert "errors" not in answer, answer["errors"]
    return answer["data"]


@scenario
def vulnerabilities_are_read_page_by_page_with_graphql():
    path = f"harbour-{RUN}/scanned"
    listed = admin.http_list(f"/projects/{path.replace('/', '%2F')}/vulnerabilities", get_all=True)
    found, after = [], None
    while True:
        page = execute(TOKEN, NODES, path=path, after=after)["project"]["vulnerabilities"]
        found += [node["id"] for node in page["nodes"]]
        if not page["pageInfo"]["hasNextPage"]:
            break
        after = page["pageInfo"]["endCursor"]
    equal(found, [f"gid://gitlab/Vulnerability/{one['id']}" for one in listed], "global ids")


@scenario
def graphql_knows_the_user_of_a_token():
    user, client = new_user("grace", ["read_api"])
    answer = execute(client.private_token, "{ currentUser { id username } project(fullPath: \"no/such\") { id } }")
    equal(answer["currentUser"], {"id": f"gid://gitlab/User/{user.id}", "username": user.username}, "user")
    equal(answer["project"], None, "hidden project")


@scenario
def a_vulnerability_is_dismissed_with_graphql():
    path = f"harbour-{RUN}/scanned"
    node = execute(TOKEN, NODES, path=path)["project"]["vulnerabilities"]["nodes"][0]
    answer = execute(TOKEN, DISMISS, id=node["id"])["vulnerabilityDismiss"]
    changed = {"state": "DISMISSED", "dismissalReason": "USED_IN_TESTS", "stateComment": "Only in tests"}
    equal(answer, {"errors": [], "vulnerability": changed}, "payload")
    stored = admin.http_get(f"/vulnerabilities/{node['id'].split('/')[-1]}")
    equal(stored["dismissal_reason"], "used_in_tests", "reason in REST")
