import { describe, expect, test } from 'vitest'
import { openReport } from './objects-command.ts'

describe('the progress of a copy', () => {
  const progress = { copied: 0, copiedBytes: 0, skipped: 0, vanished: 0, failed: 0 }
  const reportTo = (isTTY: boolean) => {
    const written: string[] = []
    const write = (text: string) => written.push(text) > 0
    return { written, report: openReport({ isTTY, write }) }
  }

  test('is a line per thousand files without a terminal', () => {
    const { written, report } = reportTo(false)
    for (let copied = 1; copied <= 1500; copied++) {
      report.progress({ ...progress, copied, skipped: 1000, copiedBytes: copied * 1024 * 1024 })
    }
    report.line('one was not copied')
    report.end()
    expect(written.join('')).toBe(
      '2000 files: 1000 copied (1000.0 MiB), 1000 there already, 0 failed\none was not copied\n',
    )
  })

  test('is one line on a terminal, updated occasionally and cleared for messages', () => {
    const { written, report } = reportTo(true)
    for (let copied = 1; copied <= 100; copied++) report.progress({ ...progress, copied, vanished: 2, failed: 3 })
    report.line('one was not copied')
    report.end()
    expect(written).toEqual([
      '\r\x1b[K6 files: 1 copied (0.0 MiB), 0 there already, 2 removed meanwhile, 3 failed',
      '\r\x1b[Kone was not copied\n',
      '\r\x1b[K',
    ])
  })
})
