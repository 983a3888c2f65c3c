import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { fieldsOf } from '../findings/fields.ts'
import { entriesOf, readJsonFile } from '../findings/json-file.ts'
import type { FindingSource, MappedFinding } from '../findings/record.ts'
import type { SourceApi } from '../findings/source-api.ts'
import { openApi, type SourceLocation } from '../findings/source-location.ts'
import { mapFinding } from './map-finding.ts'

export interface DependencyTrackOptions extends SourceLocation {
  /** UUID of a project of Dependency-Track. */
  sourceProject?: string
}

const kind = {
  name: 'Dependency-Track',
  variable: 'DTRACK_TOKEN',
  authorize: (token: string) => ({ 'x-api-key': token }),
}
const pageSize = 100

/**
 * Reads the findings of a project with their analyses from the API, or from a file: an export of findings, which
 * contains their states but neither comments nor details.
 */
export function openDependencyTrack(io: Io, options: DependencyTrackOptions): FindingSource {
  const { from, file = '', sourceProject } = options
  const findings = () => (from === undefined ? fromFile(io, file) : fromApi(openApi(io, options, kind), sourceProject))
  return { source: 'dependency-track', name: kind.name, findings }
}

async function* fromFile(io: Io, file: string): AsyncGenerator<MappedFinding> {
  for (const entry of entriesOf(await readJsonFile(io, file), 'findings')) {
    yield mapFinding(entry, fieldsOf(entry).at('analysis'), undefined)
  }
}

async function* fromApi(api: SourceApi, project: string | undefined): AsyncGenerator<MappedFinding> {
  if (!project || !/^[0-9a-f-]{36}$/i.test(project)) {
    throw wrongUsage('Name the project of Dependency-Track by its UUID with --source-project.')
  }
  const seen = new Set<string>()
  for (let number = 1; ; number++) {
    const path = `/api/v1/finding/project/${project}?suppressed=true&pageNumber=${number}&pageSize=${pageSize}`
    const { body } = await api.get(path)
    const entries = entriesOf(body, 'findings')
    const fresh = entries.filter((entry) => {
      const { component, vulnerability } = idsOf(entry)
      const id = `${component} ${vulnerability}`
      return !seen.has(id) && seen.add(id)
    })
    for (const entry of fresh) yield mapFinding(entry, await findAnalysis(api, project, entry), api.url)
    // Servers without pages of findings return all of them every time.
    if (fresh.length === 0 || entries.length !== pageSize) return
  }
}

const idsOf = (entry: unknown) => {
  const finding = fieldsOf(entry)
  return { component: finding.text('component', 'uuid'), vulnerability: finding.text('vulnerability', 'uuid') }
}

/** Returns the analysis of a finding, which has the comments. Most findings have none. */
async function findAnalysis(api: SourceApi, project: string, entry: unknown) {
  const own = fieldsOf(entry).at('analysis')
  const { component, vulnerability } = idsOf(entry)
  if (!own.has('state') || own.text('state') === 'NOT_SET' || !component || !vulnerability) {
    if (!own.flag('isSuppressed')) return own
  }
  const query = `project=${project}&component=${component}&vulnerability=${vulnerability}`
  const found = await api.find(`/api/v1/analysis?${query}`, [404])
  return found ? fieldsOf(found.body) : own
}
