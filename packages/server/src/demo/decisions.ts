import type { Call } from './call.ts'
import type { DemoProject } from './names.ts'
import { billOf } from './reports.ts'

interface Created {
  id: number
  project: DemoProject
}

const dayMs = 24 * 60 * 60 * 1000

/** Adds what a team that has triaged for a year has: rules, due dates, assignees, approvals, views and schedules. */
export async function addDecisions(call: Call, created: readonly Created[], now: string): Promise<void> {
  const dayIn = (days: number) => new Date(Date.parse(now) + days * dayMs).toISOString().slice(0, 10)
  for (const [path, rule] of rulesUntil(dayIn(120))) await call('POST', `${path}/vulnerability_rules`, rule)
  await call('PUT', '/groups/shop/due_date_policy', { critical_days: 7, high_days: 30, medium_days: 90 })
  await call('PUT', '/groups/payments/due_date_policy', { critical_days: 3, high_days: 14 })
  await call('PUT', '/groups/shop/dismissal_approval', { severity: 'critical' })
  for (const { id, project } of created.filter(({ project }) => project.interval === 1)) {
    await assign(call, id)
    await addBill(call, { id, project })
  }
  for (const template of dismissalTemplates) await call('POST', '/groups/shop/dismissal_templates', template)
  const groupId = (await call('GET', '/groups/payments')).id
  await dismissInGroup(call, created, { group_id: groupId, until: dayIn(45) })
  await addViews(call, created)
  const weekly = { period: 'weekly', day: 1, hour: 7, time_zone: 'Europe/Berlin' }
  await call('POST', '/groups/shop/report_schedules', weekly)
  await call('POST', '/groups/shop/report_schedules', { ...weekly, period: 'monthly' })
}

const dismissalTemplates = [
  { name: 'Only in tests', dismissal_reason: 'used_in_tests', comment: 'Nothing here is deployed.' },
  {
    name: 'Accepted until the next release',
    dismissal_reason: 'acceptable_risk',
    comment: 'Accepted in the review of risks.',
    until_days: 90,
    until_fixed: true,
  },
]

const rulesUntil = (until: string) =>
  [
    [
      '/groups/shop',
      {
        name: 'Import scripts run on test data only',
        match: { path: 'src/imports/**', severity: ['low', 'info'] },
        action: { dismiss: { reason: 'used_in_tests', comment: 'Nothing here is deployed.', until } },
      },
    ],
    [
      '/groups/shop',
      {
        name: 'Sessions belong to the identity team',
        match: { path: ['src/sessions/**', 'src/accounts/**'] },
        action: { assignee: 'nadia', tags: ['identity'] },
      },
    ],
    [
      '/groups/payments',
      {
        name: 'Cryptography is urgent',
        match: { identifier: ['CWE-328', 'CWE-295'] },
        action: { severity: 'critical', tags: ['cryptography', 'audit'], due_in_days: 14 },
      },
    ],
    [
      '',
      {
        name: 'Base image packages without a fix',
        match: { scanner: 'layerwatch', has_fix: false, severity: ['low'] },
        action: { dismiss: { reason: 'acceptable_risk', until_fixed: true }, tags: ['base-image'] },
      },
    ],
  ] as const

/** Assigns the newest severe vulnerabilities and tags some. */
async function assign(call: Call, id: number): Promise<void> {
  const list = `/projects/${id}/vulnerabilities`
  const page = await call('GET', `${list}?severity=high&state=detected&per_page=9&sort=detected_desc`)
  const ids = page.map((row: { id: number }) => row.id)
  if (ids.length === 0) return
  const [tomas] = await call('GET', '/users?username=tomas')
  const changes = `/projects/${id}/vulnerability_bulk_changes?sudo=nadia`
  await call('POST', changes, { action: 'assign', assignee_id: tomas.id, vulnerability_ids: ids.slice(0, 4) })
  await call('POST', changes, { action: 'tag', tags: ['next-release'], vulnerability_ids: ids.slice(2) })
}

/** Imports a list of components, so that dependencies and licences can be searched. */
async function addBill(call: Call, { id, project }: Created): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([JSON.stringify(billOf(project))]), 'bom.cdx.json')
  form.append('ref', 'main')
  await call('POST', `/projects/${id}/security_reports?sudo=tomas`, form)
}

/** Requests dismissals of critical vulnerabilities with the session of a user. */
export async function requestDismissals(
  call: Call,
  created: readonly Created[],
  { now, cookie }: { now: string; cookie: string },
): Promise<void> {
  const until = new Date(Date.parse(now) + 60 * dayMs).toISOString().slice(0, 10)
  for (const { id, project } of created.filter(({ project }) => project.group === 'shop').slice(0, 2)) {
    const worst = await call('GET', `/projects/${id}/vulnerabilities?severity=critical&state=confirmed&per_page=2`)
    for (const row of worst) {
      const comment = `${project.name} reaches this only through the gateway, which rejects such requests.`
      const dismissal = { dismissal_reason: 'mitigating_control', comment, until }
      await call('POST', `/vulnerabilities/${row.id}/dismiss`, dismissal, cookie)
    }
  }
}

/** Dismisses one flaw in all projects of a group. */
async function dismissInGroup(
  call: Call,
  created: readonly Created[],
  decision: { group_id: number; until: string },
): Promise<void> {
  const ledger = created.find(({ project }) => project.group === 'payments')
  const [row] = await call('GET', `/projects/${ledger?.id}/vulnerabilities?identifier=CVE-2099-10001`)
  const comment = 'The services accept tokens of the gateway only.'
  const dismissal = { ...decision, scope: 'group', dismissal_reason: 'mitigating_control', comment }
  await call('POST', `/vulnerabilities/${row.id}/dismiss?sudo=nadia`, dismissal)
}

async function addViews(call: Call, created: readonly Created[]): Promise<void> {
  const overdue = { name: 'Overdue', filter: { overdue: true, state: ['detected', 'confirmed'] }, sort: 'due_asc' }
  const release = { name: 'Next release', filter: { tags: ['next-release'] }, sort: 'severity_desc' }
  await call('POST', '/groups/shop/vulnerability_views?sudo=nadia', { ...overdue, shared: true })
  for (const { id } of created.filter(({ project }) => project.interval === 1)) {
    for (const view of [overdue, release]) {
      await call('POST', `/projects/${id}/vulnerability_views?sudo=nadia`, { ...view, shared: true })
    }
  }
}
