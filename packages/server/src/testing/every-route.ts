import { expect } from 'vitest'
import { formWithAvatar } from './avatars.ts'
import { formWithFile } from './client.ts'
import { makePng } from './pictures/png.ts'
import { entry } from './reports/reports.ts'
import type { TestServer } from './server.ts'

/**
 * Creates rows for the GET routes with ids that `startFilledServer` has no rows for. Returns the values of the parameters,
 * in order, by the path of the route.
 */
export async function fillEveryRoute(
  server: TestServer,
  project: { id: number },
): Promise<Readonly<Record<string, readonly (string | number)[]>>> {
  const create = async (path: string, body?: unknown) => {
    const { status, body: created, text } = await server.admin.post(path, body)
    expect(status, `${path} ${text}`).toBeLessThan(300)
    return created
  }
  const user = (await server.user('omar')).user?.id ?? 0
  const group = (await server.admin.get('/groups/acme')).body.id
  const values: Record<string, readonly (string | number)[]> = {}
  for (const [at, id] of [
    ['projects', project.id],
    ['groups', group],
  ] as const) {
    const base = `/${at}/${id}`
    await create(`${base}/members`, { user_id: user, access_level: 30 })
    const token = await create(`${base}/access_tokens`, { name: 'ci', scopes: ['read_api'], access_level: 10 })
    const claims = { project_path: 'acme/*' }
    const terms = { name: 'CI', issuer: 'https://issuer.example', audience: 'https://alcove.test', claims }
    const relation = await create(`${base}/trust_relations`, terms)
    const upload = await create(`${base}/uploads`, formWithFile('file', 'a.txt', `of ${at}`))
    const [, , secret = ''] = upload.url.split('/')
    const image = await create(`${base}/uploads`, formWithFile('file', 'a.png', makePng()))
    const [, , imageSecret = ''] = image.url.split('/')
    const resumable = await begin(server, `${base}/uploads/resumable`)
    const link = await create(`${base}/uploads/${upload.id}/links`)
    const hook = await create(`${base}/hooks`, { url: 'https://hooks.example.com/' })
    await server.admin.put(base, formWithAvatar())
    await server.admin.put(`${base}/custom_attributes/site`, { value: 'Oslo' })
    const deployToken = await create(`${base}/deploy_tokens`, { name: 'pull', scopes: ['read_registry'] })
    const schedule = await create(`${base}/report_schedules`)
    const mapping = await create(`${base}/report_mappings`, { name: 'pentest', mapping: { title: 'Issue' } })
    Object.assign(values, {
      [`/${at}/:id/report_mappings/:mapping_id`]: [id, mapping.id],
      [`/${at}/:id/report_schedules/:schedule_id`]: [id, schedule.id],
      [`/${at}/:id/members/:user_id`]: [id, user],
      [`/${at}/:id/members/all/:user_id`]: [id, user],
      [`/${at}/:id/access_tokens/:token_id`]: [id, token.id],
      [`/${at}/:id/trust_relations/:relation_id`]: [id, relation.id],
      [`/${at}/:id/uploads/:upload_id`]: [id, upload.id],
      [`/${at}/:id/uploads/:upload_id/links`]: [id, upload.id],
      [`/${at}/:id/uploads/:upload_id/thumbnail`]: [id, image.id],
      [`/-/${at.slice(0, -1)}/:id/thumbnails/:secret/:filename`]: [id, imageSecret, 'a.png'],
      [`/${at}/:id/uploads/resumable/:upload_key`]: [id, resumable],
      '/-/links/:token': [link.url.split('/').at(-1)],
      [`/${at}/:id/uploads/:secret/:filename`]: [id, secret, 'a.txt'],
      [`/-/${at.slice(0, -1)}/:id/uploads/:secret/:filename`]: [id, secret, 'a.txt'],
      [`/${at}/:id/avatar`]: [id],
      [`/${at}/:id/custom_attributes/:key`]: [id, 'site'],
      [`/${at}/:id/deploy_tokens/:token_id`]: [id, deployToken.id],
      [`/uploads/-/system/${at.slice(0, -1)}/avatar/:id/:filename`]: [id, 'my_logo.png'],
      [`/${at}/:id/hooks/:hook_id`]: [id, hook.id],
      [`/${at}/:id/hooks/:hook_id/events`]: [id, hook.id],
    })
  }
  const hook = await create('/hooks', { url: 'https://hooks.example.com/' })
  const impersonation = await create(`/users/${user}/impersonation_tokens`, { name: 'support', scopes: ['api'] })
  const vulnerability = await server.vulnerability(project, { name: 'Noted', line: 70, rule: 'noted' })
  const notes = `/projects/${project.id}/vulnerabilities/${vulnerability.id}/notes`
  const note = await create(notes, { body: 'Seen' })
  const exported = await create(`/security/projects/${project.id}/vulnerability_exports`)
  await server.report(project, [entry({ name: 'Waiting', rule: 'waiting' })], { category: 'waiting', promote: 'false' })
  const sent = await create(`/groups/${group}/vulnerability_finding_promotions`)
  const promotion = sent.started[0].promotion.id
  await server.runJobs()
  const changed = await create('/vulnerability_bulk_changes', {
    action: 'confirm',
    vulnerability_ids: [vulnerability.id],
  })
  const badge = await create(`/projects/${project.id}/vulnerabilities/badge`)
  const [event] = (await server.admin.get(`/projects/${project.id}/audit_events`)).body
  const [groupEvent] = (await server.admin.get(`/groups/${group}/audit_events`)).body
  const [topic] = (await server.admin.get('/topics?search=rust')).body
  const avatar = new URL(topic.avatar_url, 'http://localhost').pathname.split('/').slice(-2)
  await server.admin.put(`/users/${user}`, formWithAvatar())
  await server.admin.put(`/users/${user}/custom_attributes/site`, { value: 'Oslo' })
  return {
    ...values,
    '/hooks/:hook_id': [hook.id],
    '/hooks/:hook_id/events': [hook.id],
    '/users/:user_id/impersonation_tokens/:id': [user, impersonation.id],
    '/projects/:id/vulnerabilities/:vulnerability_id/notes/:note_id': [project.id, vulnerability.id, note.id],
    '/security/vulnerability_exports/:id': [exported.id],
    '/security/vulnerability_exports/:id/download': [exported.id],
    '/projects/:id/vulnerability_finding_promotions/:promotion_id': [project.id, promotion],
    '/projects/:id/vulnerability_findings/bulk/:promotion_id': [project.id, promotion],
    '/vulnerability_bulk_changes/:bulk_id': [changed.id],
    '/-/badges/:key': [badge.public_url.split('/').at(-1)],
    '/projects/:id/audit_events/:audit_event_id': [project.id, event.id],
    '/groups/:id/audit_events/:audit_event_id': [group, groupEvent.id],
    '/uploads/-/system/projects/topic/avatar/:id/:filename': avatar,
    '/uploads/-/system/user/avatar/:id/:filename': [user, 'my_logo.png'],
    '/users/:id/custom_attributes/:key': [user, 'site'],
  }
}

/** Begins a resumable upload and returns its key. */
async function begin(server: TestServer, path: string): Promise<string> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '10', 'upload-metadata': 'filename YS50eHQ=' }
  const begun = await server.admin.post(path, undefined, { headers })
  expect(begun.status, begun.text).toBe(201)
  return String(begun.headers['location']).split('/').at(-1) ?? ''
}
