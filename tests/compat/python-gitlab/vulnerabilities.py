"""Reports, findings and vulnerabilities."""

import gitlab

from support import REPORT, RUN, admin, scenario, equal, new_project, new_user, anonymous, refused


@scenario
def a_finding_becomes_a_vulnerability_once():
    project = new_project("scanned", visibility="public")
    user, keeper = new_user("keeper")
    project.members.create({"user_id": user.id, "access_level": gitlab.const.MAINTAINER_ACCESS})
    base = f"/projects/{project.id}"
    report = (REPORT.name, REPORT.read_bytes(), "application/json")
    keeper.http_post(f"{base}/security_reports", post_data={"report_type": "sast"}, files={"file": report})
    findings = keeper.http_list(f"{base}/vulnerability_findings", per_page=100, get_all=True)
    equal([finding["severity"] for finding in findings], ["critical", "medium", "info"], "severities")
    equal(keeper.http_list(f"{base}/vulnerabilities"), [], "vulnerabilities before")

    def promote(finding_id):
        return keeper.http_post(f"{base}/vulnerabilities", post_data={"finding_id": finding_id})

    by_query = keeper.http_post(f"{base}/vulnerabilities", query_data={"finding_id": findings[0]["id"]})
    equal((by_query["state"], by_query["author_id"]), ("detected", user.id), "promoted by query")
    encoded = f"/projects/{project.encoded_id}"
    by_body = keeper.http_post(f"{encoded}/vulnerabilities", post_data={"finding_id": str(findings[1]["id"])})
    equal(by_body["finding"]["id"], findings[1]["id"], "promoted by body, as digits")
    listed = keeper.http_list(f"{base}/vulnerabilities", per_page=1, get_all=True)
    equal([vulnerability["id"] for vulnerability in listed], [by_query["id"], by_body["id"]], "page by page")
    attached = {"base": ["finding is not found or is already attached to a vulnerability"]}
    refused(lambda: promote(findings[0]["id"]), 400, attached)
    refused(lambda: promote("x"), 400, "finding_id is invalid")
    refused(lambda: keeper.http_post(f"{base}/vulnerabilities"), 400, "finding_id is missing")


@scenario
def vulnerabilities_are_refused():
    project = admin.projects.get(f"harbour-{RUN}/scanned")
    hidden = admin.projects.get(f"harbour-{RUN}/crew")
    _, stranger = new_user("outsider")
    refused(lambda: anonymous.http_list(f"/projects/{project.id}/vulnerabilities"), 401, "401 Unauthorized")
    refused(lambda: stranger.http_list(f"/projects/{project.id}/vulnerabilities"), 403, "403 Forbidden")
    refused(lambda: stranger.http_list(f"/projects/{hidden.id}/vulnerabilities"), 404, "404 Project Not Found")


@scenario
def a_token_that_may_only_read_may_not_write():
    user, reader = new_user("reader", ["read_api"])
    project = admin.projects.get(f"harbour-{RUN}/crew")
    project.members.create({"user_id": user.id, "access_level": gitlab.const.MAINTAINER_ACCESS})
    assert isinstance(reader.http_list(f"/projects/{project.id}/uploads"), list)
    refused(lambda: reader.projects.get(project.id).upload("a.txt", filedata=b"a"), 403, "insufficient_scope")
