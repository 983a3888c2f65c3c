import { isCsaf, readCsaf } from './formats/csaf.ts'
import { isCycloneDx, readCycloneDx } from './formats/cyclonedx.ts'
import { isOpenVex, readOpenVex } from './formats/openvex.ts'
import { fieldsOf } from './json.ts'
import { rejectedVex, type VexDocument } from './statement.ts'

export const maxVexBytes = 16 * 1024 * 1024
const maxStatements = 20_000

/** Parses a VEX document of any supported format. Throws `reportRejected` if it is none. */
export function readVex(bytes: Buffer): VexDocument {
  let written: unknown
  try {
    written = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw rejectedVex('The file is not valid JSON in UTF-8.')
  }
  const root = fieldsOf(written)
  const document = isOpenVex(root)
    ? readOpenVex(root)
    : isCsaf(root)
      ? readCsaf(root)
      : isCycloneDx(root)
        ? readCycloneDx(root)
        : undefined
  if (!document) {
    throw rejectedVex(
      'This is no VEX document: OpenVEX, CycloneDX with analyses of vulnerabilities, and CSAF 2.0 can be read.',
    )
  }
  if (document.statements.length === 0) throw rejectedVex('The document has no statement with a known status.')
  if (document.statements.length > maxStatements) {
    throw rejectedVex(
      `The document has ${document.statements.length} statements; this server reads up to ${maxStatements}.`,
    )
  }
  return document
}
