import type { UploadResult } from '../upload/upload-result.ts'
import { writeAnnotations } from './annotations.ts'
import { writeCodeQuality } from './code-quality.ts'
import type { FormatName } from './format-names.ts'
import { writeJson } from './json.ts'
import { writeJunit } from './junit.ts'
import { writeMarkdown } from './markdown.ts'
import { writeSarif } from './sarif.ts'
import { writeText } from './text.ts'

type Writer = (result: UploadResult, options: { isColoured: boolean }) => string

const writers: Record<FormatName, Writer> = {
  text: writeText,
  json: writeJson,
  markdown: writeMarkdown,
  junit: writeJunit,
  codequality: writeCodeQuality,
  annotations: writeAnnotations,
  sarif: writeSarif,
}

/** Writes the result of an upload in a format. */
export function writeResult(format: FormatName, result: UploadResult, options: { isColoured: boolean }): string {
  return writers[format](result, options)
}
