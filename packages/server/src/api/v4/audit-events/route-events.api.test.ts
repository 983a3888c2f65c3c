import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createAuthenticator } from '../../../testing/authenticator.ts'
import { createClient, formWithFile } from '../../../testing/client.ts'
import { keyOf, openRecorder, writeRoutes } from '../../../testing/recorded-routes.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { browserOf, codeAt, password, setUpTotp, signIn } from '../../../testing/second-factors.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { trackerSettings } from '../../../testing/trackers.ts'
import { eventsWithoutRoute, routeEvents } from './route-events.ts'

type Send = ReturnType<typeof openRecorder>['send']

/** Names of the recorded events by route, of all requests of these tests. */
const performed = new Map<string, Set<string>>()

async function perform(work: (server: TestServer, send: Send) => Promise<void>): Promise<void> {
  const server = await startServer({ settings: { invitedAccounts: 'administrators', webhooksReachPrivate: true } })
  const { send, recorded } = openRecorder(server)
  await work(server, send)
  for (const [key, names] of recorded) {
    const row = routeEvents[key]
    const expected: readonly string[] = !row || 'none' in row ? [] : row
    const unexpected = [...names].filter((name) => !expected.includes(name))
    expect({ key, unexpected }).toEqual({ key, unexpected: [] })
    if (!mayRecordNothing.includes(key))
      expect({ key, records: names.size > 0 }).toEqual({ key, records: expected.length > 0 })
    performed.set(key, new Set([...(performed.get(key) ?? []), ...names]))
  }
}

/** Routes that record events only with parameters that these tests do not send. */
const mayRecordNothing = ['POST /projects/:id/security_reports']

/** Routes that need another server to respond, or a message with a link. */
const unperformed = [
  'POST /projects/:id/restore',
  'POST /groups/:id/restore',
  // Without a virus scanner.
  'POST /admin/virus_scan',
  'POST /admin/quarantine/:upload_id/release',
  'DELETE /users/:id/identities/:provider',
  'POST /-/oidc/:provider',
  'POST /-/oidc/:provider/backchannel_logout',
  'POST /-/unsubscribe/:token',
  'POST /issue_trackers/:tracker_id/events',
  'POST /-/password_links',
  ...['/projects/:id', '/groups/:id', ''].map((base) => `POST ${base}/hooks/:hook_id/test/:trigger`),
  'POST /hooks/:hook_id',
  // Need headers; resumable.db.test.ts sends them.
  ...['projects', 'groups'].flatMap((owner) => [
    `POST /${owner}/:id/uploads/resumable`,
    `PATCH /${owner}/:id/uploads/resumable/:upload_key`,
    `DELETE /${owner}/:id/uploads/resumable/:upload_key`,
  ]),
  ...['/projects/:id', '/groups/:id', ''].map((base) => `POST ${base}/hooks/:hook_id/events/:hook_event_id/resend`),
]

const rule = { name: 'Tests', match: { path: 'test/**' }, action: { severity: 'low' } }

describe('the table of events', () => {
  test('has a row for every route that changes something, and no other', () => {
    expect(Object.keys(routeEvents).sort()).toEqual(writeRoutes.map(keyOf).sort())
  })

  test('names every event, or what records it', () => {
    const source = readFileSync(new URL('../../../domain/audit/event-name.ts', import.meta.url), 'utf8')
    const names = [...source.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, name]) => name)
    const inRoutes = Object.values(routeEvents).flatMap((row) => ('none' in row ? [] : row))
    expect([...new Set([...inRoutes, ...Object.keys(eventsWithoutRoute)])].sort()).toEqual(names.sort())
  })
})

const report = (findings: object[]) =>
  formWithFile('file', 'report.json', JSON.stringify(sastReport(findings)), { promote: 'false' })

describe('routes record the events of the table', () => {
  test('of sign-in and accounts', () =>
    perform(async (server, send) => {
      const browser = async (login: string) => browserOf(server, await signIn(server, login))
      const path = async (login: string) => ({ id: (await server.admin.get(`/users?username=${login}`)).body[0].id })
      await send('POST /users', {
        body: { username: 'ada', name: 'Ada', email: 'ada@example.test', password: 'correct horse battery' },
      })
      await send('POST /-/sessions', { by: server.anonymous, body: { login: 'ada', password } })
      const id = await path('ada')
      const email = 'user-1-x@placeholder.invalid'
      const placeholder = { username: 'nadia', name: 'Nadia', email, force_random_password: true }
      const { body: created } = await server.admin.post('/users', placeholder)
      await send('POST /users/:id/claim', { path: { id: created.id }, body: { user_id: id.id } })
      for (const state of ['block', 'unblock', 'ban', 'unban']) await send(`POST /users/:id/${state}`, { path: id })
      const signedIn = await browser('ada')
      await browser('ada')
      const sessions = (await signedIn.get('//-/sessions')).body
      const other = sessions.find(({ current }: { current: boolean }) => !current)
      await send('DELETE /-/sessions/:id', { by: signedIn, path: { id: other.id } })
      await browser('ada')
      await send('DELETE /-/sessions/others', { by: signedIn })
      await send('POST /-/sessions/confirm', { by: signedIn, body: { password } })
      const signIns = (await signedIn.get('//-/sign_ins')).body
      await send('POST /-/sign_ins/:id/dismiss', { by: signedIn, path: { id: signIns[0]?.id ?? 1 } })
      await send('POST /-/personal_access_tokens', { by: signedIn, body: { name: 'x', scopes: ['api'] } })
      const begun = await send('POST /-/second_factors/totp', { by: signedIn })
      const code = codeAt(begun.secret, server.deps.now())
      await send('PUT /-/second_factors/totp', { by: signedIn, body: { challenge: begun.challenge, code } })
      const authenticator = createAuthenticator()
      const options = await send('POST /-/passkeys/options', { by: signedIn })
      const credential = authenticator.create(options)
      const added = await send('POST /-/passkeys', { by: signedIn, body: { name: 'Laptop', credential } })
      const challenge = await send('POST /-/passkeys/challenge', { by: server.anonymous, body: {} })
      const proof = { credential: authenticator.use(challenge) }
      await send('POST /-/sessions/passkey', { by: server.anonymous, body: proof })
      await send('PUT /-/passkeys/:id', { by: signedIn, path: { id: added.passkey.id }, body: { name: 'Key' } })
      const { recovery_codes: codes } = await send('POST /-/second_factors/recovery_codes', { by: signedIn })
      const first = await signIn(server, 'ada')
      await send('POST /-/sessions/second_factor', {
        by: server.anonymous,
        body: { challenge: first.body.challenge, code: codes[0] },
      })
      await send('DELETE /-/passkeys/:id', { by: signedIn, path: { id: added.passkey.id } })
      await send('DELETE /-/second_factors/totp', { by: signedIn })
      await setUpTotp(server, signedIn)
      await send('PATCH /users/:id/disable_two_factor', { path: id })
      await send('PUT /-/password', {
        by: signedIn,
        body: { current_password: password, password: 'new horse battery' },
      })
      const link = await send('POST /users/:id/password_links', { path: id })
      await send('POST /-/password', { by: server.anonymous, body: { token: link.token, password } })
      await send('DELETE /-/sessions', { by: await browser('ada') })
      await send('DELETE /users/:id/sessions', { path: id })
      await send('POST /users/:id/deactivate', { path: id })
      await send('POST /users/:id/activate', { path: id })
      await send('PUT /users/:id/custom_attributes/:key', { path: { ...id, key: 'a' }, body: { value: 'b' } })
      await send('DELETE /users/:id/custom_attributes/:key', { path: { ...id, key: 'a' } })
      await send('PUT /user/avatar', { body: { avatar: '' } })
      await send('PUT /users/:id', { path: id, body: { name: 'Ada L.' } })
      await send('DELETE /users/:id', { path: id })
    }))

  test('of tokens and settings of users', () =>
    perform(async (server, send) => {
      const nadia = await server.user('nadia')
      const user = { user_id: nadia.user?.id ?? 0 }
      const token = { name: 'ci', scopes: ['api'] }
      const { id } = await send('POST /users/:user_id/personal_access_tokens', { path: user, body: token })
      await send('POST /user/personal_access_tokens', { by: nadia, body: { name: 'x', scopes: ['k8s_proxy'] } })
      const rotated = await send('POST /personal_access_tokens/:id/rotate', { path: { id } })
      await send('DELETE /personal_access_tokens/:id', { path: { id: rotated.id } })
      const own = await server.client(nadia, { scopes: ['api'] })
      await send('DELETE /personal_access_tokens/self', { by: own })
      await send('POST /personal_access_tokens/self/rotate', { by: await server.client(nadia, { scopes: ['api'] }) })
      const impersonation = await send('POST /users/:user_id/impersonation_tokens', { path: user, body: token })
      await send('DELETE /users/:user_id/impersonation_tokens/:id', { path: { ...user, id: impersonation.id } })
      await send('PUT /user/notification_settings', { by: nadia, body: { digest: 'daily' } })
      await send('POST /user/notifications/read', { by: nadia })
      await send('PUT /user/display_settings', { by: nadia, body: { density: 'compact' } })
      await server.user('omar', { admin: true })
      const browser = browserOf(server, await signIn(server, 'omar'))
      await send('POST /-/sessions/admin_mode', { by: browser, body: { password } })
      await send('DELETE /-/sessions/admin_mode', { by: browser })
    }))

  test.each(['project', 'group'] as const)('of members, tokens and settings of a %s', (kind) =>
    perform(async (server, send) => {
      const propose = (name: string) => send('POST /topics/proposals', { body: { name } })
      await send('POST /topics/proposals/:id/approve', { path: await propose('docs') })
      await send('POST /topics/proposals/:id/reject', { path: await propose('misc') })
      await send('DELETE /topics/proposals/:id', { path: await propose('other') })
      const project = await server.project('acme/site')
      const base = `/${kind}s/:id`
      const id = kind === 'project' ? project.id : project['namespace'].id
      const [nadia, omar] = [await server.user('nadia'), await server.user('omar')]
      const userId = nadia.user?.id ?? 0
      await send(`POST ${base}/members`, { path: { id }, body: { user_id: userId, access_level: 30 } })
      await send(`PUT ${base}/members/:user_id`, { path: { id, user_id: userId }, body: { access_level: 40 } })
      await send(`DELETE ${base}/members/:user_id`, { path: { id, user_id: userId } })

      const [first, second] = ['first@example.test', 'second@example.test']
      const invitation = { access_level: 30, show_links: true }
      const invite = async (email: string) =>
        (await send(`POST ${base}/invitations`, { path: { id }, body: { email, ...invitation } })).links[email].token
      await invite(first)
      const at = { id, email: first }
      await send(`PUT ${base}/invitations/:email`, { path: at, body: { access_level: 20 } })
      await send(`POST ${base}/invitations/:email/resend`, { path: at })
      await send(`DELETE ${base}/invitations/:email`, { path: at })
      const token = await invite(second)
      await send('POST /-/invitations/open', { by: server.anonymous, body: { token } })
      await send('POST /-/invitations/accept', { by: omar, body: { token } })
      const account = { username: 'newcomer', name: 'New', password, token: await invite(first) }
      await send('POST /-/invitations/account', { by: server.anonymous, body: account })

      const draft = { name: 'ci', scopes: ['api', 'self_rotate'], access_level: 30 }
      const issued = await send(`POST ${base}/access_tokens`, { path: { id }, body: draft })
      const rotated = await send(`POST ${base}/access_tokens/:token_id/rotate`, { path: { id, token_id: issued.id } })
      const bot = createClient(server.app, { token: rotated.token })
      const again = await send(`POST ${base}/access_tokens/self/rotate`, { by: bot, path: { id } })
      await send(`DELETE ${base}/access_tokens/:token_id`, { path: { id, token_id: again.id } })

      const claims = { project_path: 'acme/*' }
      const terms = { name: 'GitLab', issuer: 'https://gitlab.com', audience: 'https://alcove.test', claims }
      const relation = await send(`POST ${base}/trust_relations`, { path: { id }, body: terms })
      const trusted = { id, relation_id: relation.id }
      await send(`PUT ${base}/trust_relations/:relation_id`, { path: trusted, body: { name: 'Other' } })
      await send(`DELETE ${base}/trust_relations/:relation_id`, { path: trusted })

      await useHooks(send, base, { id })
      await useDismissalTemplates(send, base, { id })

      await send(`PUT ${base}/dismissal_approval`, { path: { id }, body: { severity: 'high' } })
      await send(`PUT ${base}/dismissal_approval`, { path: { id }, body: { severity: 'low' } })
      await send(`DELETE ${base}/dismissal_approval`, { path: { id } })

      const created = await send(`POST ${base}/vulnerability_rules`, { path: { id }, body: rule })
      const rulePath = { id, rule_id: created.id }
      await send(`POST ${base}/vulnerability_rules/preview`, { path: { id }, body: rule })
      await send(`PUT ${base}/vulnerability_rules/:rule_id`, { path: rulePath, body: { enabled: false } })
      await send(`DELETE ${base}/vulnerability_rules/:rule_id`, { path: rulePath })

      await send(`PUT ${base}/due_date_policy`, { path: { id }, body: { critical_days: 7 } })
      await send(`PUT ${base}/due_date_policy`, { path: { id }, body: { critical_days: 14 } })
      await send(`POST ${base}/due_date_policy/preview`, { path: { id } })
      await send(`DELETE ${base}/due_date_policy`, { path: { id } })

      const tracker = trackerSettings('gitlab', 'http://127.0.0.1:1')
      await send(`PUT ${base}/issue_tracker`, { path: { id }, body: tracker })
      await send(`POST ${base}/issue_tracker/test`, { path: { id } })
      await send(`POST ${base}/issue_tracker/preview`, { path: { id }, body: { kind: 'gitlab' } })
      await send(`POST ${base}/issue_tracker/events_secret`, { path: { id } })
      await send(`DELETE ${base}/issue_tracker/events_secret`, { path: { id } })
      await send(`DELETE ${base}/issue_tracker`, { path: { id } })

      const upload = async () =>
        send(`POST ${base}/uploads`, { path: { id }, body: formWithFile('file', 'a.txt', 'a') })
      const { id: uploadId } = await upload()
      const origin = { secret: '0123456789abcdef0123456789abcdef', created_at: '2024-02-03T04:05:06Z' }
      await send(`POST ${base}/uploads/import`, { path: { id }, body: formWithFile('file', 'b.txt', 'b', origin) })
      await send(`DELETE ${base}/uploads/:upload_id`, { path: { id, upload_id: uploadId } })
      await send(`POST ${base}/uploads/:upload_id/restore`, { path: { id, upload_id: uploadId } })
      const place = { id, upload_id: uploadId }
      const link = await send(`POST ${base}/uploads/:upload_id/links`, { path: place })
      await send(`DELETE ${base}/uploads/:upload_id/links/:link_id`, { path: { ...place, link_id: link.id } })
      const [, , secret = ''] = (await upload()).url.split('/')
      await send(`DELETE ${base}/uploads/:secret/:filename`, { path: { id, secret, filename: 'a.txt' } })
    }),
  )

  test('of projects, groups, organizations and the instance', () =>
    perform(async (server, send) => {
      await send('POST /organizations', { body: { name: 'Other', path: 'other' } })
      const group = await send('POST /groups', { body: { name: 'acme', path: 'acme' } })
      await send('PUT /groups/:id', { path: { id: group.id }, body: { description: 'A group' } })
      const subgroup = await server.admin.post('/groups', { name: 'sub', path: 'sub', parent_id: group.id })
      await send('POST /groups/:id/transfer', { path: { id: subgroup.body.id } })
      const project = await send('POST /projects', { body: { name: 'site', namespace_id: group.id } })
      const path = { id: project.id }
      const nadia = await server.user('nadia')
      await send('POST /projects/user/:user_id', { path: { user_id: nadia.user?.id ?? 0 }, body: { name: 'own' } })
      await send('PUT /projects/:id', { path, body: { description: 'A site' } })
      await send('POST /projects/:id/uploads/references', { path, body: { source: 'page', texts: ['none'] } })
      await send('PUT /projects/:id/uploads/limits', { path, body: { max_upload_bytes: 1000 } })
      for (const action of ['archive', 'unarchive', 'star', 'unstar'])
        await send(`POST /projects/:id/${action}`, { path })
      await send('PUT /projects/:id/transfer', { path, body: { namespace: 'root' } })
      await send('DELETE /projects/:id', { path })
      await send('DELETE /groups/:id', { path: { id: group.id } })
      await useHooks(send, '', {})
      await send('POST /markdown', { body: { text: 'x' } })
      await send('POST /markdown/preview', { body: { text: 'x' } })
    }))

  test('of topics', () =>
    perform(async (server, send) => {
      const [web, site] = [
        await send('POST /topics', { body: { name: 'web', title: 'Web' } }),
        await send('POST /topics', { body: { name: 'site', title: 'Site' } }),
      ]
      await send('PUT /topics/:id', { path: web, body: { description: 'x' } })
      await mirror(send, { kind: 'topic', base: '/topics/:id', path: { id: web.id } })
      await send('POST /topics/:id/aliases', { path: web, body: { name: 'www' } })
      await send('DELETE /topics/:id/aliases', { path: web, body: { name: 'www' } })
      await send('POST /topics/merge', { body: { source_topic_id: site.id, target_topic_id: web.id } })
      const [merge] = (await server.admin.get('/topics/merges')).body
      await send('POST /topics/merges/:id/undo', { path: merge })
      const file = formWithFile('file', 'topics.yaml', 'version: 1\ntopics:\n  - name: cli\n    title: CLI\n')
      await send('POST /topics/import', { body: file })
      const project = await server.project('acme/site')
      const [group] = (await server.admin.get('/groups?search=acme')).body
      await send('POST /topics/bulk', { body: { project_ids: [project.id], add: ['cli'] } })
      await send('POST /groups/:id/topics/bulk', { path: { id: group.id }, body: { remove: ['cli'] } })
      await send('PUT /groups/:id/topics', { path: { id: group.id }, body: { topics: ['cli'] } })
      await send('DELETE /topics/:id', { path: web })
    }))

  test('of security results', () =>
    perform(async (server, send) => {
      const project = await server.project('acme/site', { maxAbsentPercent: 50 })
      const path = { id: project.id }
      const lines = (count: number) => Array.from({ length: count }, (_, i) => entry({ line: i + 1, rule: `r${i}` }))
      await send('POST /projects/:id/security_reports', { path, body: report(lines(20)) })
      for (const action of ['discard', 'apply']) {
        const { id } = await send('POST /projects/:id/security_reports', { path, body: report(lines(1)) })
        await send(`POST /projects/:id/security_reports/:report_id/absences/${action}`, {
          path: { ...path, report_id: id },
        })
      }
      await send('POST /projects/:id/security_reports', { path, body: report(lines(20)) })
      const withOwners = report(lines(20))
      withOwners.append('project_files[]', new Blob(['* @root']), 'CODEOWNERS')
      await send('POST /projects/:id/security_reports', { path, body: withOwners })
      await send('DELETE /projects/:id/project_files/:name', { path: { ...path, name: 'CODEOWNERS' } })
      await server.report(project, [entry()], { ref: 'feature', promote: 'false' })
      await send('DELETE /projects/:id/refs/:ref', { path: { ...path, ref: 'feature' } })
      const findings = (await server.admin.get(`/projects/${project.id}/vulnerability_findings`)).body
      const ids = findings.map(({ id }: { id: number }) => id)
      const vulnerability = await send('POST /projects/:id/vulnerabilities', { path, body: { finding_id: ids[0] } })
      await send('POST /projects/:id/vulnerability_finding_promotions', { path, body: { finding_ids: [ids[1]] } })
      await send('POST /projects/:id/vulnerability_findings/bulk', {
        path,
        body: { action: 'promote', finding_ids: [ids[2]] },
      })
      await send('POST /groups/:id/vulnerability_finding_promotions', { path: project['namespace'] })
      // The job of the group may have promoted all findings of the group by now.
      await server.report(await server.project('other/site'), [entry()], { promote: 'false' })
      await send('POST /vulnerability_finding_promotions')
      await decide(send, server, project, vulnerability.id)
      await decideRequests(send, server, project, vulnerability.id)
    }))

  test('of flaws', () =>
    perform(async (server, send) => {
      const project = await server.project('flaws/site')
      await server.report(project, [entry({ line: 1 }), entry({ line: 2 })])
      for (const base of ['/projects/:id', '/groups/:id'] as const) {
        const id = base === '/projects/:id' ? project.id : project['namespace'].id
        const { body: flaws } = await server.admin.get(`${base.replace(':id', id)}/vulnerability_flaws`)
        const [flaw, other] = flaws.map(({ id }: { id: number }) => id)
        const { body: members } = await server.admin.get(`/projects/${project.id}/vulnerabilities?flaw=${flaw}`)
        const path = { id, flaw_id: flaw }
        const undo = (change: { id: number }) =>
          send(`POST ${base}/vulnerability_flaw_changes/:change_id/undo`, { path: { id, change_id: change.id } })
        await undo(
          await send(`POST ${base}/vulnerability_flaws/:flaw_id/join`, { path, body: { other_flaw_id: other } }),
        )
        const body = { vulnerability_ids: [members[0].id] }
        await undo(await send(`POST ${base}/vulnerability_flaws/:flaw_id/split`, { path, body }))
      }
    }))

  test('for every route that these tests can use', () => {
    const missing = writeRoutes.map(keyOf).filter((key) => !performed.has(key))
    expect(missing.sort()).toEqual(unperformed.sort())
  })
})

/** Requests a dismissal for each decision. */
async function decideRequests(send: Send, server: TestServer, project: TestProject, id: number): Promise<void> {
  await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'info' })
  await server.admin.post(`/vulnerabilities/${id}/revert`)
  const [requester, approver] = [await server.as('maintainer', project), await server.as('maintainer', project)]
  for (const [action, by] of [
    ['reject', approver],
    ['withdraw', requester],
    ['approve', approver],
  ] as const) {
    const { body } = await requester.post(`/vulnerabilities/${id}/dismiss`)
    const path = { id: project.id, request_id: body.dismissal_request_id }
    await send(`POST /projects/:id/dismissal_requests/:request_id/${action}`, { by, path })
  }
}

async function decide(send: Send, server: TestServer, project: TestProject, id: number): Promise<void> {
  const path = { id }
  for (const action of ['confirm', 'resolve', 'dismiss', 'revert'])
    await send(`POST /vulnerabilities/:id/${action}`, { path })
  const input = `(input: { id: "gid://gitlab/Vulnerability/${id}" }) { errors }`
  const query = `mutation { vulnerabilityConfirm${input} vulnerabilityRevertToDetected${input} }`
  await send('POST /graphql', { body: { query } })
  await send('PUT /vulnerabilities/:id/severity', { path, body: { severity: 'low' } })
  await send('DELETE /vulnerabilities/:id/severity', { path })
  await useSavedViews(send, '/projects/:id', { id: project.id })
  await useSavedViews(send, '/groups/:id', { id: project['namespace'].id })
  await useSavedViews(send, '', {})
  await useReportMappings(send, '/projects/:id', { id: project.id })
  await useReportMappings(send, '/groups/:id', { id: project['namespace'].id })
  await useReportSchedules(send, '/projects/:id', { id: project.id })
  await useReportSchedules(send, '/groups/:id', { id: project['namespace'].id })
  await send('PUT /vulnerabilities/:id/assignee', { path, body: { assignee_id: 1 } })
  await send('DELETE /vulnerabilities/:id/assignee', { path })
  await send('PUT /vulnerabilities/:id/tags', { path, body: { tags: ['web'] } })
  await send('POST /vulnerabilities/:id/tags', { path, body: { tags: ['api'] } })
  await send('DELETE /vulnerabilities/:id/tags', { path, body: { tags: ['web'] } })
  await send('PUT /vulnerabilities/:id/due_date', { path, body: { due_on: '2026-12-31' } })
  await send('DELETE /vulnerabilities/:id/due_date', { path })
  const place = { id: project.id }
  for (const name of ['vulnerability_bulk_changes', 'vulnerabilities/bulk']) {
    const body = { action: 'confirm', vulnerability_ids: [id] }
    const bulk = await send(`POST /projects/:id/${name}`, { path: place, body })
    await send(`POST /projects/:id/${name}/:bulk_id/undo`, { path: { ...place, bulk_id: bulk.id } })
  }
  await send('POST /projects/:id/vulnerabilities/badge', { path: place })
  await send('DELETE /projects/:id/vulnerabilities/badge', { path: place })
  const many = { action: 'dismiss', vulnerability_ids: [id] }
  await send('POST /groups/:id/vulnerability_bulk_changes', { path: project['namespace'], body: many })
  const change = await send('POST /vulnerability_bulk_changes', { body: { ...many, action: 'resolve' } })
  await send('POST /vulnerability_bulk_changes/:bulk_id/undo', { path: { bulk_id: change.id } })
  const aliases = Array.from({ length: 20 }, (_, rule) => `r${rule}`)
  const statement = { vulnerability: { name: 'Rule 1', aliases }, status: 'affected' }
  const document = { '@context': 'https://openvex.dev/ns', timestamp: '2099-01-01', statements: [statement] }
  await send('POST /projects/:id/vex', {
    path: place,
    body: formWithFile('file', 'vex.json', JSON.stringify(document), { override: 'true' }),
  })
  const records = [{ id: '1', name: 'Imported' }]
  await send('POST /projects/:id/imported_findings', {
    path: place,
    body: formWithFile('file', 'csv.json', JSON.stringify({ source: 'csv', records })),
  })
  await send('POST /groups/:id/vex', {
    path: project['namespace'],
    body: formWithFile('file', 'vex.json', JSON.stringify(document).replace('affected', 'fixed'), { override: 'true' }),
  })
  const notes = '/projects/:id/vulnerabilities/:vulnerability_id/notes'
  const at = { ...place, vulnerability_id: id }
  const note = await send(`POST ${notes}`, { path: at, body: { body: 'Look' } })
  await send(`PUT ${notes}/:note_id`, { path: { ...at, note_id: note.id }, body: { body: 'Seen' } })
  await send(`DELETE ${notes}/:note_id`, { path: { ...at, note_id: note.id } })
  const link = await send('POST /vulnerabilities/:id/issue_links', { path, body: { url: 'https://x.example/1' } })
  await send('DELETE /vulnerabilities/:id/issue_links/:issue_link_id', { path: { ...path, issue_link_id: link.id } })
  const { namespace } = project
  await send('POST /vulnerabilities/:id/dismiss/preview', { path, body: { group_id: namespace.id } })
  const created = await send('POST /vulnerability_rules', { body: rule })
  await send('POST /vulnerability_rules/preview', { body: rule })
  await send('PUT /vulnerability_rules/:rule_id', { path: { rule_id: created.id }, body: { enabled: false } })
  await send('DELETE /vulnerability_rules/:rule_id', { path: { rule_id: created.id } })
  await useDismissalTemplates(send, '/admin', {})
  await send('PUT /admin/due_date_policy', { body: { critical_days: 7 } })
  await send('PUT /admin/due_date_policy', { body: { critical_days: 14 } })
  await send('POST /admin/due_date_policy/preview')
  await send('DELETE /admin/due_date_policy')
  await server.admin.put(`/projects/${project.id}/issue_tracker`, trackerSettings('gitlab', 'http://127.0.0.1:1'))
  await send('POST /vulnerabilities/:id/issue', { path })
  await send('POST /projects/:id/vulnerabilities/issues', { path: place, body: { vulnerability_ids: [id] } })
  await send('POST /security/projects/:id/vulnerability_exports', { path: place })
  await send('POST /security/groups/:id/vulnerability_exports', { path: project['namespace'] })
  await send('POST /security/vulnerability_exports')
  const [job] = (await server.admin.get('/admin/jobs')).body
  await send('POST /admin/jobs/:id/retry', { path: job })
}

async function useReportSchedules(send: Send, base: string, path: Record<string, number>): Promise<void> {
  const schedule = await send(`POST ${base}/report_schedules`, { path, body: {} })
  const at = { ...path, schedule_id: schedule.id }
  await send(`PUT ${base}/report_schedules/:schedule_id`, { path: at, body: { hour: 9 } })
  await send(`DELETE ${base}/report_schedules/:schedule_id`, { path: at })
}

async function useReportMappings(send: Send, base: string, path: Record<string, number>): Promise<void> {
  const body = { name: 'pentest', mapping: { title: 'Issue' } }
  const mapping = await send(`POST ${base}/report_mappings`, { path, body })
  const at = { ...path, mapping_id: mapping.id }
  await send(`PUT ${base}/report_mappings/:mapping_id`, { path: at, body: { name: 'audit' } })
  await send(`DELETE ${base}/report_mappings/:mapping_id`, { path: at })
}

async function useDismissalTemplates(send: Send, base: string, path: Record<string, number>): Promise<void> {
  const body = { name: 'Tests', dismissal_reason: 'used_in_tests' }
  const template = await send(`POST ${base}/dismissal_templates`, { path, body })
  const at = { ...path, template_id: template.id }
  await send(`PUT ${base}/dismissal_templates/:template_id`, { path: at, body: { until_days: 30 } })
  await send(`DELETE ${base}/dismissal_templates/:template_id`, { path: at })
}

async function useSavedViews(send: Send, base: string, path: Record<string, number>): Promise<void> {
  const view = await send(`POST ${base}/vulnerability_views`, { path, body: { name: 'Urgent', shared: true } })
  const at = { ...path, view_id: view.id }
  await send(`PUT ${base}/vulnerability_views/:view_id`, { path: at, body: { name: 'Most urgent' } })
  await send(`POST ${base}/vulnerability_views/:view_id/default`, { path: at })
  await send(`DELETE ${base}/vulnerability_views/:view_id/default`, { path: at })
  await send(`DELETE ${base}/vulnerability_views/:view_id`, { path: at })
}

async function useLabels(send: Send, base: string, path: Record<string, number>): Promise<void> {
  await send(`PUT ${base}/custom_attributes/:key`, { path: { ...path, key: 'site' }, body: { value: 'Oslo' } })
  await send(`DELETE ${base}/custom_attributes/:key`, { path: { ...path, key: 'site' } })
  const token = await send(`POST ${base}/deploy_tokens`, { path, body: { name: 'pull', scopes: ['read_registry'] } })
  await send(`DELETE ${base}/deploy_tokens/:token_id`, { path: { ...path, token_id: token.id } })
}

async function mirror(
  send: Send,
  { kind, base, path }: { kind: string; base: string; path: Record<string, number> },
): Promise<void> {
  const from = { source: 'https://gitlab.test', source_id: '1', local_changes: 'all' }
  await send('PUT /import_sources', { body: { ...from, kind, target_id: path['id'] } })
  await send(`DELETE ${base}/mirror`, { path })
}

async function useHooks(send: Send, base: string, path: Record<string, number>): Promise<void> {
  if (base) {
    await useLabels(send, base, path)
    await mirror(send, { kind: base === '/groups/:id' ? 'group' : 'project', base, path })
  }
  const hook = await send(`POST ${base}/hooks`, {
    path,
    body: { url: 'http://127.0.0.1:1/', vulnerability_events: true },
  })
  const at = { ...path, hook_id: hook.id }
  await send(`PUT ${base}/hooks/:hook_id`, { path: at, body: { name: 'Chat' } })
  await send(`PUT ${base}/hooks/:hook_id/custom_headers/:key`, { path: { ...at, key: 'X-A' }, body: { value: 'b' } })
  await send(`DELETE ${base}/hooks/:hook_id/custom_headers/:key`, { path: { ...at, key: 'X-A' } })
  await send(`PUT ${base}/hooks/:hook_id/url_variables/:key`, { path: { ...at, key: 'a' }, body: { value: '1' } })
  await send(`DELETE ${base}/hooks/:hook_id/url_variables/:key`, { path: { ...at, key: 'a' } })
  await send(`DELETE ${base}/hooks/:hook_id`, { path: at })
}
