import { expect, test } from 'vitest'
import { type Fixture, forbidden, refusal, unauthorized, unique } from './support.ts'

export function testTopics(fixture: Fixture): void {
  test('a topic can be created, found publicly, edited and deleted, with a project count', async () => {
    const { Topics } = fixture.admin
    const name = unique('lighthouse')
    const created = await Topics.create(name, { title: 'Lighthouses', description: 'All of **them**' } as object)
    expect(created).toEqual({
      id: expect.any(Number),
      name,
      title: 'Lighthouses',
      description: 'All of **them**',
      total_projects_count: 0,
      organization_id: 1,
      avatar_url: null,
    })
    await fixture.project({ topics: [name] })

    const nobody = fixture.api('').Topics
    expect(await nobody.show(created.id)).toEqual({ ...created, total_projects_count: 1 })
    expect(await nobody.all({ search: name })).toMatchObject([{ id: created.id }])
    expect(await nobody.all({ search: name, withoutProjects: true } as object)).toEqual([])

    expect(await Topics.edit(created.id, { title: 'Lights' } as object)).toMatchObject({ name, title: 'Lights' })
    await Topics.remove(created.id)
    expect(await refusal(nobody.show(created.id))).toEqual({ status: 404, description: '404 Not found' })
    expect(await refusal(Topics.remove(created.id))).toEqual({ status: 404, description: '404 Not found' })
  })

  test('an avatar can be set, is public, and can be removed', async () => {
    const { Topics } = fixture.admin
    const { id } = await Topics.create(unique('buoy'), { title: 'Buoys' } as object)
    const avatar = { content: new Blob([png]), filename: 'buoy.png' }
    expect(await Topics.edit(id, { avatar })).toMatchObject({ avatar_url: null }) // gitbeaker names the part `file`

    const form = new FormData()
    form.append('avatar', avatar.content, avatar.filename)
    const { body } = await Topics.requester.put(`topics/${id}`, { body: form })
    const address = `${fixture.url}/uploads/-/system/projects/topic/avatar/${id}/buoy.png`
    expect(body).toMatchObject({ id, avatar_url: address })
    const served = await fetch(address)
    expect(served.headers.get('content-type')).toBe('image/png')
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(png)

    const removed = await Topics.requester.put(`topics/${id}`, { body: { avatar: '' } })
    expect(removed.body).toMatchObject({ avatar_url: null })
    expect((await fetch(address)).status).toBe(404)
  })

  test('a topic can be merged into another, which gets its projects and its name as an alias', async () => {
    const { Topics, Projects } = fixture.admin
    const [from, into] = [unique('sloop'), unique('yacht')]
    const project = await fixture.project({ topics: [from] })
    const [source] = await Topics.all({ search: from })
    const target = await Topics.create(into, { title: 'Yachts' } as object)
    const merge = () => Topics.merge(source?.id ?? 0, target.id)

    expect(await merge()).toMatchObject({ id: target.id, name: into, total_projects_count: 1 })
    expect(await Projects.show(project.id)).toMatchObject({ topics: [into] })
    expect(await Projects.all({ topic: from } as object)).toMatchObject([{ id: project.id }])
    expect(await Projects.edit(project.id, { topics: [from] } as object)).toMatchObject({ topics: [into] })
    expect(await Topics.all({ search: from })).toMatchObject([{ id: target.id }])
    expect(await refusal(merge())).toEqual({ status: 404, description: '404 Not found' })
    expect(await refusal(Topics.merge(target.id, target.id))).toEqual({
      status: 400,
      description: 'The source topic and the target topic are identical.',
    })
  })

  test('unauthorized callers and invalid topics are rejected', async () => {
    const { Topics } = fixture.admin
    const name = unique('reef')
    const { id } = await Topics.create(name, { title: 'Reefs' } as object)
    const { api } = await fixture.user('diver')
    expect(await refusal(api.Topics.remove(id))).toEqual(forbidden)
    expect(await refusal(fixture.api('').Topics.remove(id))).toEqual(unauthorized)
    expect(await refusal(fixture.api('glpat-never-issued-000').Topics.all())).toEqual(unauthorized)

    expect(await refusal(Topics.create(name))).toEqual({ status: 400, description: 'title is missing' })
    const taken = await refusal(Topics.create(name.toUpperCase(), { title: 'Again' } as object))
    expect([taken.status, JSON.parse(taken.description)]).toEqual([400, { name: ['has already been taken'] }])
  })
}

/** PNG of one red pixel. */
const png = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)
