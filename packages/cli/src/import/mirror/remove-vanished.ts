import type { Schemas } from '@alcove/client'
import { attempt, type Copy, unlessMissing } from '../gitlab/copy.ts'

type Mirror = Schemas['ImportSource']

/**
 * Deletes mirrors whose objects have vanished from the source, after the time that the mirror keeps them. What contains
 * or is used by something else stays. When the source shows none of the mirrored objects any more, nothing is deleted,
 * because the token has probably lost its rights.
 */
export async function removeVanished(copy: Copy): Promise<void> {
  const mirrors = copy.sources.mirrors()
  const vanished: Mirror[] = []
  for (const mirror of mirrors) if (await hasVanished(copy, mirror)) vanished.push(mirror)
  if (vanished.length > 0 && vanished.length === mirrors.length) {
    return copy.report.skip({
      kind: 'mirror',
      name: copy.source.url,
      reason: 'the source shows none of the mirrored objects, so nothing was deleted; check the rights of its token',
    })
  }
  const of = (kind: Mirror['kind']) => vanished.filter((mirror) => mirror.kind === kind)
  for (const project of of('project')) await removeExpired(copy, project, () => removeProject(copy, project.target_id))
  for (const group of await deepestFirst(copy, of('group'))) {
    await removeExpired(copy, group, () => removeGroup(copy, group.target_id))
  }
  for (const topic of of('topic')) await removeExpired(copy, topic, () => removeTopic(copy, topic.target_id))
}

/** An object that was not copied may have moved out of the selected groups, so the source is asked. */
async function hasVanished({ ids, source }: Copy, { kind, source_id: sourceId }: Mirror): Promise<boolean> {
  if (ids.find(kind, sourceId) !== undefined) return false
  return (await unlessMissing(source.get(`/${kind}s/${sourceId}`))) === undefined
}

/** Returns why the object stays, or `undefined` after it was deleted. */
type Remove = () => Promise<string | undefined>

async function removeExpired(copy: Copy, mirror: Mirror, remove: Remove): Promise<void> {
  const { kind, target_id: id } = mirror
  // Its owner may have detached it since the copy began.
  const name = await nameOfMirror(copy, mirror)
  if (name === undefined || !copy.mirror?.isExpired(kind, id)) {
    if (name !== undefined) copy.report.note(`${kind} ${name}: missing in the source`)
    return
  }
  await attempt(copy, { kind, name }, async () => {
    const reason = await remove()
    if (reason === undefined) copy.report.count(kind, 'deleted')
    else copy.report.note(`${kind} ${name}: missing in the source, and kept because ${reason}`)
  })
}

/** Returns the present name of the object, or `undefined` when it was deleted or is no longer a mirror. */
async function nameOfMirror({ target }: Copy, { kind, target_id: id }: Mirror): Promise<string | undefined> {
  const path = { id }
  if (kind === 'topic') {
    const topic = await unlessMissing(target.call('GET /topics/{id}', { path }))
    return topic?.mirrored_from && topic.name
  }
  if (kind === 'group') {
    const group = await unlessMissing(target.call('GET /groups/{id}', { path, query: {} }))
    return group?.mirrored_from && group.full_path
  }
  const project = await unlessMissing(target.call('GET /projects/{id}', { path, query: {} }))
  return project?.mirrored_from && project.path_with_namespace
}

async function deepestFirst(copy: Copy, groups: readonly Mirror[]): Promise<Mirror[]> {
  const named = await Promise.all(
    groups.map(async (group) => ({ group, path: (await nameOfMirror(copy, group)) ?? '' })),
  )
  const depthOf = ({ path }: { path: string }) => path.split('/').length
  return named.sort((one, other) => depthOf(other) - depthOf(one)).map(({ group }) => group)
}

async function removeProject({ target }: Copy, id: number): Promise<undefined> {
  await target.call('DELETE /projects/{id}', { path: { id } })
}

async function removeGroup({ target }: Copy, id: number): Promise<string | undefined> {
  const path = { id }
  const groups = await target.page('GET /groups/{id}/subgroups', { path, query: { per_page: 1 } })
  const projects = await target.page('GET /groups/{id}/projects', { path, query: { per_page: 1 } })
  if (groups.rows.length + projects.rows.length > 0) return 'it contains projects or groups'
  await target.call('DELETE /groups/{id}', { path })
  return undefined
}

async function removeTopic({ target }: Copy, id: number): Promise<string | undefined> {
  const { total_projects_count: projects } = await target.call('GET /topics/{id}', { path: { id } })
  if (projects > 0) return 'projects use it'
  await target.call('DELETE /topics/{id}', { path: { id } })
  return undefined
}
