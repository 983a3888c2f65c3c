import { expect, test } from 'vitest'
import { type Fixture, forbidden, inDays, noProject, refusal, unique } from './support.ts'

export function testProjects(fixture: Fixture): void {
  test('a project can be created with topics, edited, read by id and by path, and deleted', async () => {
    const { admin } = fixture
    const group = await fixture.group()
    const charts = { name: 'Charts', path: 'charts', namespaceId: group.id }
    const project = await admin.Projects.create({
      ...charts,
      visibility: 'public',
      description: 'Harbour charts',
      topics: ['tides', 'maps'],
    })
    expect(project).toMatchObject({
      description: 'Harbour charts',
      name_with_namespace: `${group.name} / Charts`,
      path_with_namespace: `${group.full_path}/charts`,
      namespace: { id: group.id },
      visibility: 'public',
      default_branch: expect.any(String),
      topics: ['maps', 'tides'],
      tag_list: ['maps', 'tides'],
      web_url: `${fixture.url}/${group.full_path}/charts`,
      avatar_url: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })

    expect(await admin.Projects.show(project.id)).toMatchObject({ id: project.id })
    expect(await admin.Projects.show(`${group.full_path}/charts`)).toMatchObject({ id: project.id })
    const change = { topics: ['maps', 'winds'], description: 'Sea charts' }
    expect(await admin.Projects.edit(project.id, change)).toMatchObject(change)
    const { status, description } = await refusal(admin.Projects.create(charts))
    expect([status, JSON.parse(description)]).toMatchObject([400, { path: ['has already been taken'] }])

    await admin.Projects.remove(project.id)
    expect(await refusal(admin.Projects.show(project.id))).toEqual(noProject)
    await admin.Groups.remove(group.id)
    expect(await refusal(admin.Groups.show(group.id))).toEqual({ status: 404, description: '404 Group Not Found' })
  })

  test('projects are found by several topics and by search', async () => {
    const topic = unique('shoal')
    const one = await fixture.project({ topics: [topic, 'depth'] })
    const other = await fixture.project({ topics: [topic] })
    const ids = async (options: object) => (await fixture.admin.Projects.all(options)).map(({ id }) => id)

    expect(await ids({ topic })).toEqual([other.id, one.id])
    expect(await ids({ topic: `${topic},depth` })).toEqual([one.id])
    expect(await ids({ topic: topic.toUpperCase() })).toEqual([])
    expect(await ids({ search: one.path })).toEqual([one.id])
  })

  test('a private project is visible to its members only, a public one to every caller', async () => {
    const topic = unique('visible')
    const open = await fixture.project({ visibility: 'public', topics: [topic] })
    const closed = await fixture.project({ topics: [topic] })
    const { api: stranger } = await fixture.user('stranger')
    for (const someone of [stranger, fixture.api('')]) {
      expect(await someone.Projects.show(open.id)).toMatchObject({ id: open.id })
      expect(await refusal(someone.Projects.show(closed.id))).toEqual(noProject)
      expect((await someone.Projects.all({ topic })).map(({ id }) => id)).toEqual([open.id])
    }
    expect(await refusal(fixture.api('glpat-never-issued-000').Projects.show(open.id))).toMatchObject({ status: 401 })
  })

  test('a list can be paged through its links', async () => {
    const { admin } = fixture
    const word = unique('fleet')
    const { id: namespaceId } = await fixture.group()
    for (const number of [1, 2, 3, 4, 5]) {
      await admin.Projects.create({ name: `${word} ${number}`, path: `${word}-${number}`, namespaceId })
    }
    const all = [5, 4, 3, 2, 1].map((number) => `${word} ${number}`)
    const namesOf = (projects: { name: unknown }[]) => projects.map(({ name }) => name)

    expect(namesOf(await admin.Projects.all({ search: word, perPage: 2 }))).toEqual(all)
    const keyset = { search: word, perPage: 2, pagination: 'keyset', orderBy: 'id', sort: 'desc' } as const
    expect(namesOf(await admin.Projects.all(keyset as object))).toEqual(all)

    const expanded = { search: word, perPage: 2, showExpanded: true, pagination: 'offset' } as const
    const second = await admin.Projects.all({ ...expanded, page: 2 })
    expect(namesOf(second.data)).toEqual(all.slice(2, 4))
    expect(second.paginationInfo).toEqual({ total: 5, next: 3, current: 2, previous: 1, perPage: 2, totalPages: 3 })
    const past = await admin.Projects.all({ ...expanded, page: 9 })
    expect(past).toMatchObject({ data: [], paginationInfo: { total: 5, next: null } })
  })

  test('a transferred project is found at its old path until it is deleted', async () => {
    const { admin } = fixture
    const project = await fixture.project({ topics: ['maps'] })
    const old = `${project.path_with_namespace}`
    const { id, full_path } = await fixture.group()
    const moved = { id: project.id, path_with_namespace: `${full_path}/${project.path}`, topics: ['maps'] }

    expect(await admin.Projects.transfer(project.id, id)).toMatchObject(moved)
    expect(await admin.Projects.show(old)).toMatchObject(moved)
    expect(await refusal(admin.Projects.edit(old, { description: 'x' }))).toEqual({
      status: 405,
      description: 'Non GET methods are not allowed for moved projects',
    })
    const { api: stranger } = await fixture.user('stranger')
    expect(await refusal(stranger.Projects.show(old))).toEqual(noProject)
    await admin.Projects.remove(project.id)
    expect(await refusal(admin.Projects.show(old))).toEqual(noProject)
  })

  test('groups and users support keyset pagination, and descendant groups are listed', async () => {
    const { admin } = fixture
    const { id: parentId } = await fixture.group()
    const below = await admin.Groups.create(unique('sub'), unique('sub'), { parentId, visibility: 'public' })
    expect(await admin.Groups.allDescendantGroups(parentId, {})).toMatchObject([{ id: below.id }])
    await fixture.user('walker')
    const keyset = { pagination: 'keyset', perPage: 1 } as const
    const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
    const offset = { pagination: 'offset', perPage: 100 } as const
    expect(idsOf(await admin.Groups.all(keyset as object))).toEqual(idsOf(await admin.Groups.all(offset)))
    expect(idsOf(await admin.Users.all(keyset as object))).toEqual(idsOf(await admin.Users.all(offset)))
  })

  test('members can be added, listed, edited and removed', async () => {
    const { admin } = fixture
    const project = await fixture.project()
    const { id, username, api } = await fixture.user('member')
    expect(await refusal(api.Projects.show(project.id))).toEqual(noProject)

    const added = await admin.ProjectMembers.add(project.id, 20, { userId: id })
    expect(added).toMatchObject({ id, username, name: 'Nadia Osei', state: 'active', access_level: 20 })
    expect(await api.Projects.show(project.id)).toMatchObject({ id: project.id })
    const twice = await refusal(admin.ProjectMembers.add(project.id, 20, { userId: id }))
    expect(twice).toEqual({ status: 409, description: 'Member already exists' })
    expect(await refusal(api.ProjectMembers.add(project.id, 20, { userId: 1 }))).toEqual(forbidden)

    expect(await admin.ProjectMembers.edit(project.id, id, 30)).toMatchObject({ access_level: 30 })
    expect(await admin.ProjectMembers.show(project.id, id)).toMatchObject({ access_level: 30 })
    expect(await refusal(api.Projects.edit(project.id, { topics: ['no'] }))).toEqual(forbidden)
    await admin.ProjectMembers.remove(project.id, id)
    expect((await admin.ProjectMembers.all(project.id)).map(({ id }) => id)).not.toContain(id)
    expect(await refusal(api.Projects.show(project.id))).toEqual(noProject)
  })

  test('a member of a group has access to its projects', async () => {
    const { admin } = fixture
    const group = await fixture.group()
    const project = await admin.Projects.create({ name: 'Inner', path: 'inner', namespaceId: group.id })
    const { id, api } = await fixture.user('heir')
    await admin.GroupMembers.add(group.id, 40, { userId: id })

    expect(await api.Projects.edit(project.id, { topics: ['inherited'] })).toMatchObject({ topics: ['inherited'] })
    expect((await admin.ProjectMembers.all(project.id)).map(({ id }) => id)).not.toContain(id)
    const withInherited = await admin.ProjectMembers.all(project.id, { includeInherited: true })
    expect(withInherited).toContainEqual(expect.objectContaining({ id, access_level: 40 }))
    const shown = await api.ProjectMembers.show(project.id, id, { includeInherited: true })
    expect(shown).toMatchObject({ id, access_level: 40 })
  })

  test('a project and a group have access tokens, which can be created, rotated, listed and revoked', async () => {
    const { admin, api } = fixture
    const group = await fixture.group()
    const project = await fixture.project()
    for (const [tokens, id] of [
      [admin.ProjectAccessTokens, project.id],
      [admin.GroupAccessTokens, group.id],
    ] as const) {
      const issued = await tokens.create(id, 'pipeline', ['api'], inDays(30), { accessLevel: 30 })
      expect(issued).toMatchObject({ name: 'pipeline', access_level: 30, active: true, expires_at: inDays(30) })
      const bot = api(`${issued.token}`)
      expect(await bot.Users.showCurrentUser()).toMatchObject({ id: issued.user_id, bot: true })
      const fresh = await tokens.rotate(id, issued.id, { expiresAt: inDays(60) })
      expect(await refusal(bot.Users.showCurrentUser())).toMatchObject({ status: 401 })
      expect(await tokens.all(id)).toMatchObject([
        { id: issued.id, active: false },
        { id: fresh.id, active: true },
      ])
      expect(await tokens.show(id, fresh.id)).toMatchObject({ user_id: issued.user_id, expires_at: inDays(60) })
      await tokens.revoke(id, fresh.id)
      expect(await refusal(api(`${fresh.token}`).Users.showCurrentUser())).toMatchObject({ status: 401 })
      expect(await refusal(tokens.show(id, fresh.id))).toMatchObject({ status: 404 })
    }
  })
}
