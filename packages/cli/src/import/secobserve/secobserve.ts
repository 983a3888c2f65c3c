import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { type Fields, fieldsOf } from '../findings/fields.ts'
import { entriesOf, readJsonFile } from '../findings/json-file.ts'
import type { FindingSource, MappedFinding } from '../findings/record.ts'
import type { SourceApi } from '../findings/source-api.ts'
import { openApi, type SourceLocation } from '../findings/source-location.ts'
import { mapObservation } from './map-observation.ts'

export interface SecObserveOptions extends SourceLocation {
  /** Id of a product. */
  product?: string
}

const kind = {
  name: 'SecObserve',
  variable: 'SECOBSERVE_TOKEN',
  authorize: (token: string) => ({ authorization: `APIToken ${token}` }),
}
const pageSize = 100

/** Reads the observations of a product with their logs from the API, or from a file with responses of it. */
export function openSecObserve(io: Io, options: SecObserveOptions): FindingSource {
  const { from, file = '', product } = options
  const findings = () => (from === undefined ? fromFile(io, file) : fromApi(openApi(io, options, kind), product))
  return { source: 'secobserve', name: kind.name, findings }
}

async function* fromFile(io: Io, file: string): AsyncGenerator<MappedFinding> {
  for (const entry of entriesOf(await readJsonFile(io, file), 'results')) yield mapObservation(entry, [], undefined)
}

async function* fromApi(api: SourceApi, product: string | undefined): AsyncGenerator<MappedFinding> {
  if (!product || !/^\d+$/.test(product)) throw wrongUsage('Name the product of SecObserve by its id with --product.')
  for (let page = 1, hasNext = true; hasNext; page++) {
    const { body } = await api.get(
      `/api/observations/?product=${product}&ordering=id&page=${page}&page_size=${pageSize}`,
    )
    const listed = entriesOf(body, 'results')
    for (const entry of listed) {
      const id = fieldsOf(entry).number('id')
      // Lists shorten the path of the source file.
      const { body: whole } = await api.get(`/api/observations/${id}/`)
      yield mapObservation(whole, await listLogs(api, id), api.url)
    }
    hasNext = fieldsOf(body).has('next') && listed.length > 0
  }
}

async function listLogs(api: SourceApi, id: number | undefined): Promise<Fields[]> {
  const path = `/api/observation_logs/?observation=${id}&ordering=created&page_size=${pageSize}`
  return entriesOf((await api.get(path)).body, 'results').map(fieldsOf)
}
