import { wrongUsage } from '../exit.ts'
import type { FormatName } from '../formats/format-names.ts'
import { writeResult } from '../formats/formats.ts'
import { type Io, isColoured } from '../io.ts'
import { writeOutputFile } from '../output-file.ts'
import type { UploadResult } from './upload-result.ts'

/** A format with its file, or without one for the standard output. */
export interface OutputChoice {
  format: FormatName
  file: string | undefined
}

/** Pairs the first format with the first file and so on. The last format may have no file. */
export function pairOutputs(formats: readonly FormatName[], files: readonly string[]): OutputChoice[] {
  if (files.length > Math.max(1, formats.length) || formats.length > files.length + 1) {
    throw wrongUsage('Each --output belongs to one --format; only one format can be written to the standard output.')
  }
  const chosen: readonly FormatName[] = formats.length > 0 ? formats : ['text']
  return chosen.map((format, index) => ({ format, file: files[index] }))
}

/** Writes every output. When all of them are files, the text is printed as well. */
export async function writeOutputs(io: Io, outputs: readonly OutputChoice[], result: UploadResult): Promise<void> {
  for (const { format, file } of outputs) {
    const text = writeResult(format, result, { isColoured: file === undefined && isColoured(io, io.stdout) })
    if (file === undefined) io.stdout.write(text)
    else await writeOutputFile(io, file, text)
  }
  if (outputs.every(({ file }) => file !== undefined)) {
    io.stdout.write(writeResult('text', result, { isColoured: isColoured(io, io.stdout) }))
  }
}
