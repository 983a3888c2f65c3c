import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { fieldsOf } from '../findings/fields.ts'
import { entriesOf, readJsonFile } from '../findings/json-file.ts'
import type { FindingSource, MappedFinding } from '../findings/record.ts'
import type { SourceApi } from '../findings/source-api.ts'
import { openApi, type SourceLocation } from '../findings/source-location.ts'
import { type AlertKind, kindOf, mapAlert } from './map-alert.ts'

export interface GithubOptions extends SourceLocation {
  /** Full name of a repository, such as `acme/shop`. */
  repository?: string
}

const kind = {
  name: 'GitHub',
  variable: 'GITHUB_TOKEN',
  authorize: (token: string) => ({ authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' }),
}

const lists: readonly [AlertKind, path: string][] = [
  ['code scanning', 'code-scanning/alerts'],
  ['Dependabot', 'dependabot/alerts'],
  ['secret scanning', 'secret-scanning/alerts'],
]

/**
 * Reads the alerts of a repository from the API, or from a file with responses of it. Alerts of a feature that is off, or
 * that the token may not read, are reported.
 */
export function openGithub(io: Io, options: GithubOptions): FindingSource {
  const { from, file = '', repository } = options
  const findings = () => (from === undefined ? fromFile(io, file) : fromApi(io, openApi(io, options, kind), repository))
  return { source: 'github', name: kind.name, findings }
}

async function* fromFile(io: Io, file: string): AsyncGenerator<MappedFinding> {
  for (const entry of entriesOf(await readJsonFile(io, file), 'alerts')) yield mapAlert(entry, kindOf(entry), [])
}

async function* fromApi(io: Io, api: SourceApi, repository: string | undefined): AsyncGenerator<MappedFinding> {
  if (!repository || !/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw wrongUsage('Name the repository of GitHub with --repository, such as: --repository acme/shop')
  }
  let readable = 0
  for (const [alerts, path] of lists) {
    let next: string | undefined = `/repos/${repository}/${path}?per_page=100`
    for (let isFirst = true; next !== undefined; isFirst = false) {
      // 403 and 404 mean that the feature is off, or that the token may not read it.
      const page: Awaited<ReturnType<SourceApi['find']>> = await api.find(next, isFirst ? [403, 404] : [])
      if (!page) {
        io.stderr.write(`Alerts of ${alerts} are not imported: the feature is off, or the token may not read them.\n`)
        break
      }
      readable++
      for (const entry of entriesOf(page.body, 'alerts')) {
        yield mapAlert(entry, alerts, alerts === 'secret scanning' ? await findLocations(api, entry, repository) : [])
      }
      next = page.next
    }
  }
  if (readable === 0)
    throw wrongUsage(`The token may not read alerts of ${repository}. It needs the scope security_events.`)
}

/** Returns where a secret was found, which the alert does not contain. */
async function findLocations(api: SourceApi, entry: unknown, repository: string): Promise<unknown[]> {
  const number = fieldsOf(entry).number('number')
  const path = `/repos/${repository}/secret-scanning/alerts/${number}/locations?per_page=100`
  return entriesOf((await api.find(path, [404]))?.body, 'locations')
}
