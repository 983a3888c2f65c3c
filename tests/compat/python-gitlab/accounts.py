"""Users, their tokens, organizations."""

import time

from support import RUN, admin, as_token, scenario, equal, new_user, anonymous, refused


@scenario
def the_administrator_signs_in():
    admin.auth()
    equal(admin.user.username, "root", "name of the administrator")
    assert admin.user.is_admin
    version, revision = admin.version()
    assert version[0].isdigit() and revision, f"version {version!r}, revision {revision!r}"


@scenario
def a_user_is_created_found_and_removed():
    user, own = new_user("nadia")
    equal(user.state, "active", "state")
    equal([found.id for found in admin.users.list(username=user.username)], [user.id], "users of that name")
    equal([found.id for found in admin.users.list(search=user.username)], [user.id], "users found")
    equal(admin.users.get(user.id).email, f"nadia-{RUN}@example.test", "address")
    own.auth()
    equal(own.user.id, user.id, "who the token is")
    other = {"email": "a@b.test", "username": "ab", "name": "A", "password": "correct horse battery"}
    refused(lambda: own.users.create(other), 403)
    user.delete(hard_delete=True)
    refused(lambda: admin.users.get(user.id), 404)


@scenario
def a_revoked_token_is_dead_at_once():
    user, own = new_user("pat")
    own.auth()
    token = admin.personal_access_tokens.list(user_id=user.id)[0]
    admin.personal_access_tokens.delete(token.id)
    refused(own.auth, 401)
    refused(own.topics.list, 401)


@scenario
def a_user_is_blocked_deactivated_and_comes_back():
    user, own = new_user("visitor")
    user.block()
    refused(own.auth, 403, "403 Forbidden - Your account has been blocked.")
    equal(admin.users.get(user.id).state, "blocked", "state")
    refused(user.activate, 403)
    user.unblock()
    own.auth()
    user.deactivate()
    equal(admin.users.get(user.id).state, "deactivated", "state")
    refused(own.auth, 403)
    user.activate()
    own.auth()
    user.name = "Renamed Guest"
    user.save()
    equal(own.users.get(user.id).name, "Renamed Guest", "name")


@scenario
def a_banned_user_stays_out_until_the_ban_is_lifted():
    user, own = new_user("pirate")
    user.ban()
    refused(own.auth, 403, "403 Forbidden - Your account has been blocked.")
    equal(admin.users.get(user.id).state, "banned", "state")
    refused(user.ban, 403, "You cannot ban banned users.")
    refused(user.unblock, 403)
    user.unban()
    own.auth()
    refused(user.unban, 403, "You cannot unban active users.")


@scenario
def tokens_are_listed_with_what_became_of_them():
    user, own = new_user("keys")
    own.auth()
    old = user.personal_access_tokens.create({"name": "old", "scopes": ["read_api"], "expires_at": "2020-01-01"})
    equal((old.active, old.revoked), (False, False), "a token that is over from the start")
    refused(as_token(old.token).auth, 401, "invalid_token")
    dead = user.personal_access_tokens.create({"name": "dead", "scopes": ["read_user"]})
    admin.personal_access_tokens.delete(dead.id)

    def names(**query):
        return [token.name for token in own.personal_access_tokens.list(sort="name_asc", **query)]

    equal(names(), ["dead", "old", "story"], "all tokens")
    equal((names(state="active"), names(revoked=True)), (["story"], ["dead"]), "some of them")
    own_token = own.personal_access_tokens.list(search="story")[0]
    for _ in range(50):
        addresses = own.http_get(f"/personal_access_tokens/{own_token.id}")["last_used_ips"]
        if addresses:
            break
        time.sleep(0.1)
    equal(addresses, ["127.0.0.1"], "where it was used from")
    refused(lambda: own.personal_access_tokens.list(user_id=1), 401)


@scenario
def a_token_knows_itself_and_is_replaced():
    user, own = new_user("holder")
    itself = own.http_get("/personal_access_tokens/self")
    equal((itself["user_id"], itself["active"]), (user.id, True), "the token")
    fresh = own.http_post("/personal_access_tokens/self/rotate")
    refused(own.auth, 401)
    as_token(fresh["token"]).auth()
    # Rotating with the old token again also revokes the new one.
    refused(lambda: own.http_post("/personal_access_tokens/self/rotate"), 401)
    refused(as_token(fresh["token"]).auth, 401)


@scenario
def sudo_is_for_administrators():
    user, own = new_user("subject")
    equal(admin.http_get("/user", sudo=user.username)["id"], user.id, "for whom the administrator acts")
    equal(admin.http_post("/projects", post_data={"name": "by body", "sudo": user.id})["creator_id"], user.id, "creator")
    refused(lambda: own.http_get("/user", sudo="root"), 403, "403 Forbidden - Must be admin to use sudo")
    refused(lambda: admin.http_get("/user", sudo="anonymous-here"), 404)


@scenario
def an_organization_has_topics_of_its_own():
    made = admin.http_post("/organizations", post_data={"name": f"Org {RUN}", "path": f"org-{RUN}"})
    topic = admin.topics.create({"name": f"own-{RUN}", "title": "Own", "organization_id": made["id"]})
    equal(topic.organization_id, made["id"], "organization")
    _, own = new_user("foreigner")
    refused(lambda: own.topics.get(topic.id), 404, "404 Organization Not Found")
    topic.delete()


@scenario
def an_impersonation_token_comes_and_goes():
    user, _ = new_user("imp")
    token = user.impersonationtokens.create({"name": "robot", "scopes": ["api"]})
    own = as_token(token.token)
    own.auth()
    equal(own.user.id, user.id, "who the token is")
    equal([found.id for found in user.impersonationtokens.list(state="active")], [token.id], "active tokens")
    token.delete()
    equal(user.impersonationtokens.list(state="active"), [], "active tokens")
    refused(own.auth, 401)


@scenario
def a_project_has_access_tokens_of_its_own():
    group = admin.groups.create({"name": f"tokens-{RUN}", "path": f"tokens-{RUN}"})
    project = admin.projects.create({"name": "tokens", "path": "tokens", "namespace_id": group.id})
    for place in (project, group):
        token = place.access_tokens.create({"name": "pipeline", "scopes": ["read_api"], "access_level": 30})
        equal((token.name, token.scopes, token.access_level), ("pipeline", ["read_api"], 30), "the token")
        own = as_token(token.token)
        own.auth()
        equal((own.user.id, own.user.bot), (token.user_id, True), "the bot")
        equal([found.id for found in place.access_tokens.list(state="active")], [token.id], "active tokens")
        fresh = admin.http_post(f"{place.access_tokens.path}/{token.id}/rotate")
        refused(own.auth, 401)
        as_token(fresh["token"]).auth()
        equal([found.id for found in place.access_tokens.list(state="active")], [fresh["id"]], "active tokens")
        place.access_tokens.delete(fresh["id"])
        refused(as_token(fresh["token"]).auth, 401)
        equal(place.access_tokens.list(), [], "tokens after the last is revoked")
    group.delete()
