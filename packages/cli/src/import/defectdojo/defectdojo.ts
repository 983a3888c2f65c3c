import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { fieldsOf } from '../findings/fields.ts'
import { entriesOf, readJsonFile } from '../findings/json-file.ts'
import type { FindingSource, MappedFinding } from '../findings/record.ts'
import type { SourceApi } from '../findings/source-api.ts'
import { openApi, type SourceLocation } from '../findings/source-location.ts'
import { mapFinding } from './map-finding.ts'

export interface DefectDojoOptions extends SourceLocation {
  /** Name or id of a product. */
  product?: string
}

const pageSize = 100

const kind = {
  name: 'DefectDojo',
  variable: 'DEFECTDOJO_TOKEN',
  authorize: (token: string) => ({ authorization: `Token ${token}` }),
}

/** Reads the findings of a product from the API, or from a file with responses of `/api/v2/findings/`. */
export function openDefectDojo(io: Io, options: DefectDojoOptions): FindingSource {
  const { from, file = '', product } = options
  const findings = () => (from === undefined ? fromFile(io, file) : fromApi(openApi(io, options, kind), product))
  return { source: 'defectdojo', name: kind.name, findings }
}

async function* fromFile(io: Io, file: string): AsyncGenerator<MappedFinding> {
  for (const entry of entriesOf(await readJsonFile(io, file), 'results')) yield mapFinding(entry, undefined)
}

async function* fromApi(api: SourceApi, product: string | undefined): AsyncGenerator<MappedFinding> {
  if (!product) throw wrongUsage('Name the product of DefectDojo with --product, such as: --product "Shop API"')
  const filter = /^\d+$/.test(product)
    ? `test__engagement__product=${product}`
    : `test__engagement__product__name=${encodeURIComponent(product)}`
  let offset = 0
  for (let hasNext = true; hasNext; offset += pageSize) {
    const query = `${filter}&related_fields=true&o=id&limit=${pageSize}&offset=${offset}`
    const { body } = await api.get(`/api/v2/findings/?${query}`)
    const found = entriesOf(body, 'results')
    for (const entry of found) yield mapFinding(entry, api.url)
    // The address of the next page may name a proxy, so only its existence counts.
    hasNext = fieldsOf(body).has('next') && found.length > 0
  }
}
