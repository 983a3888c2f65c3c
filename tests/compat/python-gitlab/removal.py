"""The deletion of all data."""

from support import RUN, admin, scenario, refused


@scenario
def everything_is_removed():
    group = admin.groups.get(f"harbour-{RUN}")
    project = admin.projects.get(f"harbour-{RUN}/crew")
    admin.groups.delete(group.id)
    refused(lambda: admin.groups.get(group.id), 404, "404 Group Not Found")
    refused(lambda: admin.projects.get(project.id), 404, "404 Project Not Found")
