"""Groups, projects and their members."""

from datetime import date, timedelta

import gitlab

from support import RUN, admin, scenario, equal, new_project, new_user, anonymous, refused


@scenario
def a_group_and_a_project_in_it():
    path = f"harbour-{RUN}"
    group = admin.groups.create({"name": path, "path": path, "visibility": "public"})
    equal(admin.groups.get(path).id, group.id, "group by path")
    project = new_project("charts", visibility="public", description="Harbour charts", topics=["tides", "maps"])
    equal(project.path_with_namespace, f"{path}/charts", "path")
    equal(project.namespace["id"], group.id, "namespace")
    equal(project.topics, ["maps", "tides"], "topics")
    equal(project.tag_list, ["maps", "tides"], "tag_list")
    equal(admin.projects.get(f"{path}/charts").id, project.id, "project by path")
    equal(anonymous.projects.get(project.id).id, project.id, "public project for anonymous")
    refused(lambda: new_project("charts"), 400)


@scenario
def the_object_is_changed_and_saved():
    project = admin.projects.get(f"harbour-{RUN}/charts")
    project.topics = ["winds", "maps"]
    project.description = "Sea charts"
    project.save()
    again = admin.projects.get(project.id)
    equal((again.topics, again.description), (["maps", "winds"], "Sea charts"), "what was saved")
    lazy = admin.projects.get(project.id, lazy=True)
    lazy.topics = ["maps"]
    lazy.save()
    equal(admin.projects.get(project.id).topics, ["maps"], "topics")


@scenario
def projects_are_listed_by_topic_and_page():
    topic = f"fleet{RUN}"
    for number in range(5):
        new_project(f"boat-{number}", topics=[topic, f"n{number}"])
    every = admin.projects.list(topic=topic, per_page=2, get_all=True)
    equal([project.path for project in every], [f"boat-{number}" for number in (4, 3, 2, 1, 0)], "all pages")
    page = admin.projects.list(topic=topic, per_page=2, iterator=True)
    equal((page.total, page.total_pages, page.next_page, page.prev_page), (5, 3, 2, None), "numbers of the first page")
    equal(len(list(page)), 5, "projects iterated over")
    equal([project.path for project in admin.projects.list(topic=[topic, "n3"])], ["boat-3"], "both topics")
    equal(admin.projects.list(topic=topic, page=9), [], "a page past the end")
    keyset = admin.projects.list(topic=topic, pagination="keyset", order_by="id", per_page=2, get_all=True)
    equal(len(keyset), 5, "projects by keyset")


@scenario
def everything_is_walked_by_keyset():
    by_id = {"pagination": "keyset", "order_by": "id", "per_page": 2, "iterator": True}
    walked = [project.id for project in admin.projects.list(**by_id)]
    equal(walked, sorted(walked, reverse=True), "order of projects")
    equal(set(walked), {project.id for project in admin.projects.list(iterator=True)}, "projects by keyset")
    groups = [group.id for group in admin.groups.list(pagination="keyset", per_page=1, iterator=True)]
    equal(groups, [group.id for group in admin.groups.list(iterator=True)], "groups by keyset")
    by_name = {"order_by": "name", "sort": "asc", "iterator": True}
    users = [user.id for user in admin.users.list(pagination="keyset", per_page=2, **by_name)]
    equal(users, [user.id for user in admin.users.list(**by_name)], "users by keyset")
    refused(lambda: admin.projects.list(pagination="keyset", order_by="name"), 405)


@scenario
def a_project_moves_and_is_found_at_its_old_path():
    harbour = admin.groups.get(f"harbour-{RUN}")
    deep = admin.groups.create({"name": "deep", "path": "deep", "parent_id": harbour.id, "visibility": "public"})
    project = new_project("wanderer", topics=["maps"])
    project.transfer(deep.id)
    old = f"harbour-{RUN}/wanderer"
    equal(admin.projects.get(old).path_with_namespace, f"harbour-{RUN}/deep/wanderer", "where it went")
    lazy = admin.projects.get(old, lazy=True)
    lazy.description = "lost"
    refused(lazy.save, 405, "Non GET methods are not allowed for moved projects")
    deep.path = "deeper"
    deep.save()
    equal(admin.groups.get(f"harbour-{RUN}/deep").id, deep.id, "group at its old path")
    equal(admin.projects.get(f"harbour-{RUN}/deep/wanderer").id, project.id, "project below a renamed group")
    equal([group.id for group in harbour.descendant_groups.list()], [deep.id], "groups below")
    _, stranger = new_user("pilot")
    refused(lambda: stranger.projects.get(old), 404, "404 Project Not Found")
    project.delete()
    refused(lambda: admin.projects.get(old), 404, "404 Project Not Found")
    deep.delete()


@scenario
def headers_are_read_alone():
    assert int(admin.projects.head()["X-Total"]) >= 6
    project = admin.projects.get(f"harbour-{RUN}/charts")
    equal(admin.projects.head(project.id)["Content-Type"], "application/json", "content type")


@scenario
def an_administrator_acts_for_a_user():
    user, _ = new_user("deputy")
    project = admin.projects.create({"name": "own"}, sudo=user.username)
    equal(project.namespace["path"], user.username, "whose project it is")
    equal(admin.projects.list(owned=True, sudo=user.id)[0].id, project.id, "projects of the user")
    project.delete()
    refused(lambda: admin.projects.get(project.id), 404, "404 Project Not Found")


@scenario
def members_come_and_go():
    project = new_project("crew")
    user, own = new_user("sailor")
    refused(lambda: own.projects.get(project.id), 404, "404 Project Not Found")
    reporter = {"user_id": user.id, "access_level": gitlab.const.REPORTER_ACCESS, "expires_at": None}
    member = project.members.create(reporter)
    equal((member.id, member.access_level, member.state), (user.id, 20, "active"), "member")
    refused(lambda: project.members.create(reporter), 409, "Member already exists")
    refused(lambda: own.projects.get(project.id).members.create({"user_id": 1, "access_level": 20}), 403)
    member.access_level = gitlab.const.DEVELOPER_ACCESS
    member.save()
    equal(project.members.get(user.id).access_level, 30, "access level")
    refused(lambda: own.projects.update(project.id, {"topics": ["no"]}), 403, "403 Forbidden")
    member.delete()
    refused(lambda: own.projects.get(project.id), 404)


@scenario
def members_of_a_group_inherit():
    group = admin.groups.get(f"harbour-{RUN}")
    user, own = new_user("heir")
    group.members.create({"user_id": user.id, "access_level": gitlab.const.MAINTAINER_ACCESS})
    project = own.projects.get(f"harbour-{RUN}/crew")
    inherited = {member.id: member.access_level for member in project.members_all.list(get_all=True)}
    equal(inherited.get(user.id), 40, "inherited access")
    equal(project.members_all.get(user.id).access_level, 40, "inherited access of one")
    assert user.id not in [member.id for member in project.members.list(get_all=True)]
    assert project.members.list(query="nothing-like-it") == []


@scenario
def a_membership_ends_on_its_day():
    project = admin.projects.get(f"harbour-{RUN}/crew")
    user, _ = new_user("trainee")
    draft = {"user_id": user.id, "access_level": gitlab.const.GUEST_ACCESS}
    past = {"expires_at": ["cannot be a date in the past"]}
    refused(lambda: project.members.create({**draft, "expires_at": "2020-01-01"}), 400, past)
    day = (date.today() + timedelta(days=2)).isoformat()
    project.members.create({**draft, "expires_at": day})
    equal(project.members_all.get(user.id).expires_at, day, "last day")
    refused(lambda: project.members.create({**draft, "access_level": 7}), 400)


@scenario
def projects_are_renamed_archived_and_starred():
    user, own = new_user("captain")
    project = own.projects.create({"name": "Our sloop"})
    equal((project.path, project.visibility), ("our-sloop", "private"), "a personal project")
    project.path = "brig"
    project.save()
    moved = own.projects.get(f"{user.username}/our-sloop")
    equal((moved.id, moved.path), (project.id, "brig"), "the project at its old path")
    project.star()
    equal([found.id for found in own.projects.list(starred=True)], [project.id], "what he starred")
    equal(own.projects.get(project.id).star_count, 1, "stars")
    project.unstar()
    project.archive()
    equal([found.id for found in own.projects.list(archived=True, owned=True)], [project.id], "his archive")
    project.unarchive()
    equal(own.projects.list(archived=True, owned=True), [], "his archive afterwards")


@scenario
def lists_of_projects_are_narrowed():
    user, own = new_user("pilgrim")
    mine = own.projects.create({"name": "mine", "visibility": "private"})
    crew = admin.projects.get(f"harbour-{RUN}/crew")
    crew.members.create({"user_id": user.id, "access_level": gitlab.const.REPORTER_ACCESS})

    def found(**query):
        return sorted(project.id for project in own.projects.list(iterator=True, **query))

    equal(found(owned=True), [mine.id], "owned")
    equal(found(membership=True), sorted([mine.id, crew.id]), "membership")
    equal(found(min_access_level=30), [mine.id], "from developer on")
    equal(found(visibility="private"), sorted([mine.id, crew.id]), "private")
    equal(found(search=f"harbour-{RUN}/crew", search_namespaces=True), [crew.id], "found by path")
    equal([project.id for project in own.users.get(user.id).projects.list()], [mine.id], "of a user")
    by_name = own.projects.list(membership=True, order_by="name", sort="asc", simple=True)
    equal([project.name for project in by_name], ["crew", "mine"], "by name")
    assert "permissions" not in by_name[0].attributes


@scenario
def groups_have_groups_and_namespaces():
    harbour = admin.groups.get(f"harbour-{RUN}")
    user, own = new_user("warden")
    dock = admin.groups.create({"name": "Dock", "path": "dock", "parent_id": harbour.id})
    harbour.members.create({"user_id": user.id, "access_level": gitlab.const.MAINTAINER_ACCESS})
    boat = own.projects.create({"name": "dinghy", "namespace_id": dock.id, "topics": ["docked"]})
    equal([group.id for group in harbour.subgroups.list()], [dock.id], "subgroups")
    below = harbour.projects.list(topic="docked", include_subgroups=True)
    equal([project.id for project in below], [boat.id], "projects below, by topic")
    equal(harbour.projects.list(topic="docked"), [], "projects right in the group")
    spaces = [space.full_path for space in own.namespaces.list(iterator=True)]
    equal(sorted(spaces), sorted([user.username, harbour.full_path, dock.full_path]), "namespaces")
    equal(own.namespaces.get(dock.full_path).id, dock.id, "namespace by path")
    taken = own.namespaces.exists(harbour.path)
    equal((taken.exists, taken.suggests), (True, [f"{harbour.path}1"]), "a path that is taken")
    equal(own.namespaces.exists("dock", parent_id=harbour.id).exists, True, "a path below")
    _, stranger = new_user("landlubber")
    refused(lambda: stranger.groups.get(dock.id), 404, "404 Group Not Found")
    refused(lambda: stranger.namespaces.get(dock.id), 404, "404 Namespace Not Found")
    dock.delete()
