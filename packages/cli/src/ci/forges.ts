import type { Environment } from '../io.ts'
import type { Forge, ForgeKind, ForgeToken } from './ci-run.ts'

/** Variables with a token for notes, best first. `ALCOVE_NOTE_TOKEN` works with every forge. */
const tokenVariables: Record<ForgeKind, readonly string[]> = {
  gitlab: ['ALCOVE_NOTE_TOKEN', 'GITLAB_TOKEN', 'CI_JOB_TOKEN'],
  github: ['ALCOVE_NOTE_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN'],
  gitea: ['ALCOVE_NOTE_TOKEN', 'GITEA_TOKEN', 'FORGEJO_TOKEN', 'GITHUB_TOKEN'],
}

/** Creates a forge with the tokens of the environment, or returns `undefined` without an address or project. */
export function forgeOf(
  kind: ForgeKind,
  apiUrl: string | undefined,
  project: string | undefined,
  env: Environment,
): Forge | undefined {
  if (!apiUrl || !project) return undefined
  const tokens = tokenVariables[kind].flatMap((variable): ForgeToken[] => {
    const value = env[variable]?.trim()
    return value ? [{ variable, value }] : []
  })
  return { kind, apiUrl: apiUrl.replace(/\/+$/, ''), project, tokens }
}

/** Parts of the address of a merge or pull request. */
const changePages: readonly (readonly [ForgeKind, RegExp])[] = [
  ['gitlab', /^\/(?<project>.+)\/-\/merge_requests\/\d+\/?$/],
  ['gitea', /^\/(?<project>[^/]+\/[^/]+)\/pulls\/\d+\/?$/],
  ['github', /^\/(?<project>[^/]+\/[^/]+)\/pull\/\d+\/?$/],
]

/** Recognises a forge by the address of a merge or pull request. */
export function forgeOfChangePage(address: string | undefined, env: Environment): Forge | undefined {
  if (!address || !URL.canParse(address)) return undefined
  const { origin, host, pathname } = new URL(address)
  for (const [kind, pattern] of changePages) {
    const project = pattern.exec(pathname)?.groups?.['project']
    if (project) return forgeOf(kind, apiAddress(kind, origin, host), decodeURIComponent(project), env)
  }
  return undefined
}

/** Returns the address of the API of a forge at an origin. */
export function apiAddress(kind: ForgeKind, origin: string, host: string): string {
  if (kind === 'gitlab') return `${origin}/api/v4`
  if (kind === 'gitea') return `${origin}/api/v1`
  return host === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`
}
