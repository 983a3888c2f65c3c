import { join } from 'node:path'
import { openObjectsFor, type Place } from './app.ts'
import { reasonOf } from './platform/failure.ts'
import { type CopyProgress, copyObjects } from './platform/object-store/copy.ts'
import type { Settings } from './platform/settings/settings.ts'

/** Copies the whole store, possibly while the server runs. Returns false when an object could not be copied. */
export async function runObjectsCommand(
  settings: Settings,
  { from, to }: { from: Place; to: Place },
): Promise<boolean> {
  const [source, target] = [await openObjectsFor(settings, from), await openObjectsFor(settings, to)]
  const report = openReport(process.stderr)
  try {
    await Promise.all([source.ready(), target.ready()])
    console.log(`Copying files from ${describe(settings, from)} to ${describe(settings, to)}.`)
    const { failed, ...progress } = await copyObjects(source, target, {
      concurrency: 8,
      onProgress: report.progress,
      onFailure: (key, error) => report.line(`alcove: ${key} was not copied: ${reasonOf(error)}`),
    })
    report.end()
    console.log(`Done: ${summaryOf({ failed, ...progress })}.`)
    if (failed > 0) console.log('Run this again to copy what is missing; what is there already is left as it is.')
    else console.log(`A server that runs may have stored more meanwhile: run this again when it uses ${to}.`)
    return failed === 0
  } catch (error) {
    report.end()
    throw new Error(reasonOf(error), { cause: error })
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

function describe(settings: Settings, place: Place): string {
  return place === 'disk' ? join(settings.dataFolder, 'objects') : `the bucket ${settings.s3?.bucket}`
}

/** Reports progress: one updated line on a terminal, otherwise a line for every thousand objects. */
export function openReport(output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) {
  const clearLine = output.isTTY ? '\r\x1b[K' : ''
  let shownAt = 0
  return {
    progress(progress: Readonly<CopyProgress>): void {
      if (!output.isTTY) {
        if (countOf(progress) % 1000 === 0) output.write(`${summaryOf(progress)}\n`)
      } else if (Date.now() - shownAt >= 200) {
        shownAt = Date.now()
        output.write(clearLine + summaryOf(progress))
      }
    },
    line: (text: string) => void output.write(`${clearLine}${text}\n`),
    end: () => void output.write(clearLine),
  }
}

function countOf({ copied, skipped, vanished, failed }: CopyProgress): number {
  return copied + skipped + vanished + failed
}

function summaryOf(progress: CopyProgress): string {
  const { copied, copiedBytes, skipped, vanished, failed } = progress
  const mebibytes = (copiedBytes / 1024 / 1024).toFixed(1)
  const meanwhile = vanished > 0 ? `, ${vanished} removed meanwhile` : ''
  return `${countOf(progress)} files: ${copied} copied (${mebibytes} MiB), ${skipped} there already${meanwhile}, ${failed} failed`
}
