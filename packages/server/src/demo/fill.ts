import { randomUUID } from 'node:crypto'
import type { Call, SignIn } from './call.ts'
import type { DemoClock } from './clock.ts'
import { addDecisions, requestDismissals } from './decisions.ts'
import { demoFiles } from './files.ts'
import { type DemoProject, groups, projects, topics, users } from './names.ts'
import { months, reportsOf } from './reports.ts'

interface Filling {
  call: Call
  signIn: SignIn
  clock: DemoClock
  /** True: the last month of the projects that are scanned every month, for tests. */
  isShort?: boolean
}

interface Created {
  id: number
  project: DemoProject
}

const dayMs = 24 * 60 * 60 * 1000

/** Fills an empty server with a year of history, through its API and in the order of time. */
export async function fillDemo({ call, signIn, clock, isShort = false }: Filling): Promise<void> {
  const endsAt = Date.parse(clock.now())
  const firstMonth = isShort ? months - 1 : 0
  // The last month begins a week ago, so that the last reports are recent.
  const startOf = (month: number) => new Date(endsAt - ((months - 1 - month) * 32 + 7) * dayMs)
  clock.moveTo(startOf(firstMonth))
  const password = randomUUID()
  await addUsers(call, password)
  await addTopics(call)
  const created = await addProjects(
    call,
    projects.filter(({ interval }) => !isShort || interval === 1),
  )
  for (let month = firstMonth; month < months; month++) {
    for (const [index, { id, project }] of created.entries()) {
      if (month % project.interval !== 0 && month !== months - 1) continue
      clock.moveTo(new Date(startOf(month).getTime() + (index * dayMs) / 2))
      await importReports(call, { id, project }, month, clock.now())
      if (month % 2 === 0) await triage(call, id, month)
      const file = demoFiles[month % demoFiles.length]
      if (file && month % 3 === index % 3) await upload(call, id, file)
    }
  }
  await addDecisions(call, created, clock.now())
  // Who dismisses what is critical is another person than the administrator, who can approve it then.
  await requestDismissals(call, created, { now: clock.now(), cookie: await signIn('tomas', password) })
  clock.reset()
}

/** All users have a password that is not kept, so only the administrator can sign in. */
async function addUsers(call: Call, password: string): Promise<void> {
  for (const group of groups) await call('POST', '/groups', { ...group, visibility: visibilityOf(group.path) })
  for (const { username, name, level } of users) {
    const email = `${username}@example.test`
    const { id } = await call('POST', '/users', { username, name, email, password })
    for (const { path } of groups) await call('POST', `/groups/${path}/members`, { user_id: id, access_level: level })
  }
}

const visibilityOf = (path: string) => projects.find(({ group }) => group === path)?.visibility ?? 'private'

/** Creates topics with aliases, and merges one that means the same. */
async function addTopics(call: Call): Promise<void> {
  const ids = new Map<string, number>()
  for (const [name, title, description, aliases] of topics) {
    const { id } = await call('POST', '/topics', { name, title, description })
    ids.set(name, id)
    for (const alias of aliases) await call('POST', `/topics/${id}/aliases`, { name: alias })
  }
  const old = await call('POST', '/topics', { name: 'type-script', title: 'Type Script' })
  await call('POST', '/topics/merge', { source_topic_id: old.id, target_topic_id: ids.get('typescript') })
}

async function addProjects(call: Call, projects: readonly DemoProject[]): Promise<Created[]> {
  const created: Created[] = []
  for (const project of projects) {
    const { name, description, visibility, topics } = project
    const { id: namespaceId } = await call('GET', `/groups/${project.group}`)
    const fields = { name, description, visibility, topics, namespace_id: namespaceId }
    const { id } = await call('POST', '/projects', fields)
    if (project.interval < 3) await call('PUT', `/projects/${id}`, { auto_resolve_vulnerabilities: true })
    created.push({ id, project })
  }
  return created
}

async function importReports(call: Call, { id, project }: Created, month: number, at: string): Promise<void> {
  for (const { fileName, reportOf } of reportsOf(project)) {
    const form = new FormData()
    form.append('file', new Blob([JSON.stringify(reportOf(month, at))]), fileName)
    form.append('promote', 'true')
    form.append('ref', 'main')
    await call('POST', `/projects/${id}/security_reports?sudo=tomas`, form)
  }
}

/** Confirms what is severe and dismisses some of the rest, as a team would in one sitting. */
async function triage(call: Call, id: number, month: number): Promise<void> {
  const list = `/projects/${id}/vulnerabilities`
  const idsOf = async (filter: string): Promise<number[]> => {
    const page: { id: number }[] = await call('GET', `${list}?state=detected&per_page=${8 + (month % 5)}&${filter}`)
    return page.map(({ id }) => id)
  }
  const change = async (user: string, ids: number[], fields: object) => {
    if (ids.length > 0) await call('POST', `${list}/bulk?sudo=${user}`, { ...fields, vulnerability_ids: ids })
  }
  await change('nadia', await idsOf('severity=critical'), { action: 'confirm', comment: 'Reproduced.' })
  const dismissal = dismissals[month % dismissals.length]
  await change('tomas', await idsOf('severity=low'), { action: 'dismiss', ...dismissal })
  await change('tomas', (await idsOf('severity=medium')).slice(0, 3), { action: 'resolve', comment: 'Fixed.' })
}

const dismissals = [
  { dismissal_reason: 'false_positive', comment: 'The value is a constant.' },
  { dismissal_reason: 'used_in_tests', comment: 'Only tests call this.' },
  { dismissal_reason: 'acceptable_risk', comment: 'Accepted until the next release.' },
  { dismissal_reason: 'mitigating_control', comment: 'The gateway rejects such requests.' },
] as const

async function upload(call: Call, id: number, { name, content }: (typeof demoFiles)[number]): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([Buffer.from(content())]), name)
  await call('POST', `/projects/${id}/uploads?sudo=ines`, form)
}
