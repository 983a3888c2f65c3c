import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** With all indexes, as measured, and what a large transaction adds. */
const bytesPerFinding = 3_500

/** Throws if the disk has too little space for the data set. */
export async function assertDiskSpace(findings: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  const needed = findings * bytesPerFinding
  if (bavail * bsize > needed) return
  const gigabytes = (bytes: number) => `${Math.ceil(bytes / 1e9)} GB`
  throw new Error(
    `${findings.toLocaleString('en')} findings need ${gigabytes(needed)} in ${tmpdir()}, which has ` +
      `${gigabytes(bavail * bsize)} free; set TMPDIR, or use --findings N`,
  )
}
