import type { Schemas } from '@alcove/client'
import type { EarlyResponses, SignedInKey } from './data/early-responses.ts'

/**
 * Sends the first requests of the most used screens, and fetches their code, while the code of the UI is being fetched.
 * This script therefore imports nothing at run time. An address that it does not know loses only time.
 */
function begin(): void {
  const responses: EarlyResponses = new Map()
  globalThis.alcoveEarly = responses
  const send = (url: string): Promise<Response> => {
    // The whole body is read, because a response that no code uses would never end.
    const response = fetch(url, { headers: { 'x-alcove-session': '1' } }).then(
      async (response) => new Response(await response.arrayBuffer(), response),
    )
    responses.set(url, response)
    return response
  }
  const { requests, code } = firstOf(location.pathname, new URLSearchParams(location.search))
  for (const load of code) load().catch(() => {})
  const session = send('/-/session')
  const sendAll = () => {
    const urls = requests.map((path) => `/api/v4${path}`).filter((url) => !responses.has(url))
    // The code that needs a response shows its error.
    for (const url of urls) send(url).catch(() => {})
  }
  // Without an account they would fail.
  if (localStorage.getItem(signedInKey) !== null) sendAll()
  session.then(isOfUser).then(
    (isUser) => isUser && sendAll(),
    () => {},
  )
}

/** Same as in `data/early-responses.ts`. */
const signedInKey: SignedInKey = 'alcove-signed-in'

async function isOfUser(response: Response): Promise<boolean> {
  const state: Partial<Schemas['SessionState']> = await response
    .clone()
    .json()
    .catch(() => ({}))
  return Boolean(state.user) && !state.must_set_up_second_factor
}

interface First {
  /** Paths below `/api/v4`, exactly as the client encodes them. */
  requests: readonly string[]
  code: readonly (() => Promise<unknown>)[]
}

const projectPage = () => import('./features/project/frame/project-page.tsx')
const groupPage = () => import('./features/group/group-page.tsx')

const latest = '/projects?order_by=last_activity_at&per_page=10'
const ofHome = [
  `${latest}&membership=true`,
  `${latest}&starred=true`,
  '/vulnerability_statistics',
  '/security_dashboard',
]

/** Returns what a screen needs first. */
function firstOf(path: string, search: URLSearchParams): First {
  if (path === '/') return { requests: ofHome, code: [] }
  if (path === '/-/vulnerabilities') {
    return {
      requests: rowsOf('/vulnerabilities', search),
      code: [() => import('./features/vulnerabilities/instance-vulnerabilities.tsx')],
    }
  }
  const [, place, part] = /^\/((?!-\/)[^/]+(?:\/(?!-\/)[^/]+)+)(?:\/-\/(.*?))?\/?$/.exec(path) ?? []
  if (place === undefined || place.startsWith('explore/')) return { requests: [], code: [] }
  const [, group] = /^groups\/(.+)/.exec(place) ?? []
  return group === undefined ? ofProject(place, part, search) : ofGroup(group, part, search)
}

function ofGroup(place: string, part: string | undefined, search: URLSearchParams): First {
  const group = `/groups/${encodePath(place)}`
  const frame = `${group}?with_projects=false`
  if (part !== 'vulnerabilities') return { requests: [frame], code: [groupPage] }
  return {
    requests: [frame, ...rowsOf(`${group}/vulnerabilities`, search)],
    code: [groupPage, () => import('./features/vulnerabilities/group-vulnerabilities.tsx')],
  }
}

function ofProject(place: string, part: string | undefined, search: URLSearchParams): First {
  const project = `/projects/${encodePath(place)}`
  const [, id] = /^vulnerabilities\/(\d+)$/.exec(part ?? '') ?? []
  if (id !== undefined) {
    return {
      requests: [project, `/vulnerabilities/${id}`],
      code: [projectPage, () => import('./features/vulnerability/vulnerability-page.tsx')],
    }
  }
  if (part !== 'vulnerabilities') return { requests: [project], code: [projectPage] }
  const isAwaiting = search.get('tab') === 'awaiting'
  return {
    requests: [
      project,
      ...(isAwaiting
        ? rowsOf(`${project}/vulnerability_findings`, search, true)
        : rowsOf(`${project}/vulnerabilities`, search)),
    ],
    code: [projectPage, () => import('./features/vulnerabilities/project-vulnerabilities.tsx')],
  }
}

/** Parameters of the address that do not change the first rows. */
const irrelevant = ['open', 'tab', 'view']

/**
 * Returns the request of the first rows of a list. Its filters are those of a link to a severity or a tab; with other ones
 * the code of the list sends the request.
 */
function rowsOf(list: string, search: URLSearchParams, isOfFindings = false): string[] {
  const query: [string, string][] = []
  for (const severity of listOf('severity', search)) query.push(['severity[]', severity])
  const state = search.get('state')
  const isSimple = [...search.keys()].every((name) => [...irrelevant, 'severity', 'state', 'sort'].includes(name))
  if (!isSimple || (isOfFindings && state !== null)) return []
  if (isOfFindings) query.push(['has_vulnerability', 'false'])
  else {
    for (const one of state === null ? ['detected', 'confirmed'] : listOf('state', search)) {
      if (one !== 'any') query.push(['state[]', one])
    }
    query.push(['sort', search.get('sort') ?? 'severity_desc'])
  }
  return [`${list}?${new URLSearchParams([...query, ['page', '1'], ['per_page', '20']])}`]
}

const listOf = (name: string, search: URLSearchParams) => (search.get(name) ?? '').split(',').filter(Boolean)

/** Encodes the path of a project or a group as the client does. */
function encodePath(path: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(path))
  } catch {
    return encodeURIComponent(path)
  }
}

// A cached main script can be faster than this one.
if (globalThis.alcoveEarly === undefined) begin()
