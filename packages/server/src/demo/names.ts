/** Invented groups, projects, users and topics of `alcove demo`. */
export const groups = [
  { name: 'Northwind Shop', path: 'shop', description: 'The shop and everything that customers see.' },
  { name: 'Payments', path: 'payments', description: 'Money in, money out.' },
  { name: 'Platform', path: 'platform', description: 'What all teams build on.' },
] as const

export interface DemoProject {
  group: (typeof groups)[number]['path']
  name: string
  description: string
  topics: readonly string[]
  scanners: readonly Scanner[]
  /** Number of findings of each scanner in the whole year. */
  findings: number
  /** Number of months between two scans. */
  interval: number
  visibility: 'public' | 'internal' | 'private'
}

export type Scanner = 'sast' | 'dependency_scanning' | 'secret_detection' | 'container_scanning'

const all: readonly Scanner[] = ['sast', 'dependency_scanning', 'container_scanning', 'secret_detection']
const code: readonly Scanner[] = ['sast', 'dependency_scanning']

const rows = [
  ['shop', 'Storefront', 'The pages of the shop.', ['typescript', 'web'], all, 190, 1],
  ['shop', 'Checkout', 'Basket, addresses and orders.', ['typescript', 'web', 'payments'], all, 160, 1],
  ['shop', 'Search', 'Finds products by words and pictures.', ['java', 'search'], code, 180, 2],
  ['shop', 'Mobile app', 'The shop on telephones.', ['kotlin', 'mobile'], code, 150, 3],
  ['payments', 'Ledger', 'Double-entry bookkeeping.', ['java', 'payments'], all, 140, 1],
  ['payments', 'Card gateway', 'Talks to card networks.', ['go', 'payments', 'api'], code, 160, 2],
  ['payments', 'Invoices', 'Creates and sends invoices.', ['python', 'payments'], code, 150, 2],
  ['payments', 'Fraud checks', 'Rates payments by their risk.', ['python', 'payments'], code, 140, 3],
  ['platform', 'Identity', 'Accounts, sessions and roles.', ['go', 'api', 'security'], all, 150, 1],
  ['platform', 'Build tools', 'Pipelines, runners and templates.', ['typescript', 'ci'], code, 120, 3],
  ['platform', 'Data lake', 'Events of all services, by day.', ['python', 'data'], code, 160, 3],
  ['platform', 'Base images', 'The images that all services start from.', ['docker', 'security'], all, 90, 2],
] as const

export const projects: readonly DemoProject[] = rows.map(
  ([group, name, description, topics, scanners, findings, interval]) => {
    const visibility = group === 'payments' ? 'private' : group === 'platform' ? 'internal' : 'public'
    return { group, name, description, topics, scanners, findings, interval, visibility }
  },
)

/** Sample users with their access level in every group. */
export const users = [
  { username: 'nadia', name: 'Nadia', level: 50 },
  { username: 'tomas', name: 'Tomas', level: 40 },
  { username: 'ines', name: 'Ines', level: 30 },
  { username: 'ravi', name: 'Ravi', level: 20 },
] as const

export const topics = [
  ['typescript', 'TypeScript', 'JavaScript with types.', ['ts']],
  ['web', 'Web', 'Programs that run in a browser or serve one.', ['frontend', 'www']],
  ['payments', 'Payments', 'Services that move money.', []],
  ['java', 'Java', 'Services on the Java virtual machine.', []],
  ['go', 'Go', 'Services written in Go.', ['golang']],
  ['python', 'Python', 'Services and jobs written in Python.', ['py']],
  ['api', 'API', 'Programs with a public interface.', ['rest']],
  ['security', 'Security', 'Programs that protect the others.', []],
  ['docker', 'Docker', 'Container images.', ['containers']],
] as const
