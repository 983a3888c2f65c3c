import { unsubscribeUrl } from '../../server/src/domain/notifications/unsubscribe.ts'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import type { Web } from './web.ts'

interface Screen {
  path: string | RegExp
  title: string
}

/** Address of the table of screens. It is no literal, because the types of the UI are checked with other settings. */
const table: string = '../src/app/screens.ts'

const storefront = '/shop/Storefront'
/** Start of the addresses of an area. */
const places: Record<string, string> = { main: '', admin: '', project: storefront, group: '/groups/shop' }

/** A screen of an area of `app/screens.ts`. */
export interface ListedScreen extends Screen {
  area: string
}

/** Returns all screens of some areas. Throws when the table has an area that no test visits. */
export async function screensOf(areas: readonly string[]): Promise<ListedScreen[]> {
  const { screens } = (await import(table)) as { screens: Record<string, Screen[]> } // by the type of the module
  const unknown = Object.keys(screens).filter((name) => !(name in places))
  if (unknown.length > 0) throw new Error(`no test visits the areas ${unknown.join()}`)
  return areas.flatMap((area) => (screens[area] ?? []).map((screen) => ({ ...screen, area })))
}

/**
 * Returns an address of a screen that the user opens, with the data of `alcove demo`. Throws for a screen with a parameter
 * that `exampleAddresses` does not have.
 */
export async function addressOf({ area, path, title }: ListedScreen, web: Web, user: Client): Promise<string> {
  const key = `${area} ${path instanceof RegExp ? title : path}`
  const address = (await exampleAddresses(web, user))[key]
  if (address) return address
  if (path instanceof RegExp || /[:*]/.test(path)) throw new Error(`exampleAddresses has no address of ${key}`)
  const place = places[area] ?? ''
  return path === '/' ? place || '/' : `${place}${place && '/-'}${path}`
}

const examples = new WeakMap<Web, Promise<Record<string, string>>>()

/** Returns addresses of screens that have a parameter, after creating what the demo does not have. */
function exampleAddresses(web: Web, user: Client): Promise<Record<string, string>> {
  const known = examples.get(web) ?? create(web, user)
  examples.set(web, known)
  return known
}

async function create({ server }: Web, user: Client): Promise<Record<string, string>> {
  const { admin } = server
  const project = (await admin.get('/projects/shop%2FStorefront')).body
  const first = async (path: string) => (await admin.get(path)).body[0]
  const hook = async (place: string) => {
    const fields = { url: 'https://hooks.example.com/', name: 'Team chat', vulnerability_events: true }
    return (await admin.post(`${place}/hooks`, fields)).body.id
  }
  const vulnerability = (await first(`/projects/${project.id}/vulnerabilities?severity=critical`)).id
  const finding = (await first(`/projects/${project.id}/vulnerability_findings?scope=all`)).id
  const report = (await first(`/projects/${project.id}/security_reports`)).id
  const nadia = await first('/users?username=nadia')
  const topic = await first('/topics')
  const fields = { export_format: 'html' }
  const sent = (await user.post(`/security/projects/${project.id}/vulnerability_exports`, fields)).body.id
  await admin.post(`/projects/${project.id}/invitations`, { email: 'mira@example.test', access_level: 20 })
  const file = formWithFile('file', 'notes.txt', 'Text')
  await admin.post(`/projects/${project.id}/uploads`, file)
  await admin.post(`/users/${nadia.id}/personal_access_tokens`, { name: 'Nightly scan', scopes: ['api'] })
  return {
    'main /-/vulnerabilities/:id': `/-/vulnerabilities/${vulnerability}`,
    'main /explore/topics/:name': `/explore/topics/${topic.name}`,
    'main /-/unsubscribe/:token': new URL(
      await unsubscribeUrl(server.deps, { userId: nadia.id, name: 'expiring_tokens' }),
    ).pathname,
    'main /-/vulnerability_reports/:id': `/-/vulnerability_reports/${sent}`,
    'main Redirect from GitLab': `${storefront}/-/security/vulnerability_report`,
    'main Group': '/groups/shop',
    'main /-/admin/*?': '/-/admin',
    'main /-/api/:operation?': '/-/api/listProjectUploads',
    'main Not found': '/-/nothing',
    'main Project': storefront,
    'main /:name': '/nadia',
    'admin /-/admin/users/:id': `/-/admin/users/${nadia.id}`,
    'admin /-/admin/topics/:id': `/-/admin/topics/${topic.id}`,
    'admin /-/admin/hooks/:id': `/-/admin/hooks/${await hook('')}`,
    'project /vulnerabilities/:id': `${storefront}/-/vulnerabilities/${vulnerability}`,
    'project /findings/:id': `${storefront}/-/findings/${finding}`,
    'project /reports/:id': `${storefront}/-/reports/${report}`,
    'project /settings/hooks/:id': `${storefront}/-/settings/hooks/${await hook(`/projects/${project.id}`)}`,
    'group /settings/hooks/:id': `/groups/shop/-/settings/hooks/${await hook('/groups/shop')}`,
  }
}
