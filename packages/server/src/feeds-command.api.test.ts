import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabaseFor } from './app.ts'
import { migrate } from './db/migrate.ts'
import { migrations } from './db/migrations/all.ts'
import { runFeedsCommand } from './feeds-command.ts'
import { readSettings } from './platform/settings/settings.ts'

test('the command loads files, or passes them to the server that uses the database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-feeds-command-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const settings = readSettings({ ALCOVE_DATA: folder, ALCOVE_LOG_LEVEL: 'silent' })
  const epss = '#model_version:v1,score_date:2026-11-22T00:00:00+0000\ncve,epss,percentile\nCVE-2024-0001,0.1,0.2\n'
  const good = join(folder, 'good.csv')
  const broken = join(folder, 'broken.csv')
  await writeFile(good, epss)
  await writeFile(broken, epss.slice(0, -1))
  const printed: unknown[] = []
  for (const method of ['log', 'error'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation((line) => void printed.push(line))
    onTestFinished(() => spy.mockRestore())
  }
  const run = (files: string[], isForced = false) => runFeedsCommand(settings, { files, isForced })

  await expect(run([good])).rejects.toThrow('run alcove migrate first')
  const db = await openDatabaseFor(settings)
  onTestFinished(() => db.close())
  await migrate(db, migrations)
  expect(await run([broken, good])).toBe(false)
  expect(printed.splice(0)).toEqual([
    `${broken}: line 3: the file is truncated: its last line has no line break`,
    `${good}: 1 rows of epss copied to ${join(folder, 'feeds/good.csv')}; the running server loads them within a minute`,
  ])
  expect(await readdir(join(folder, 'feeds'))).toEqual(['good.csv'])
  expect(await run([good], true)).toBe(false)
  expect(printed.splice(0)).toEqual([expect.stringContaining('stop the server first')])

  await db.close()
  expect(await run([good])).toBe(true)
  expect(await run([join(folder, 'missing.csv')])).toBe(false)
  expect(printed.splice(0)).toEqual([`${good}: loaded 1 rows of epss`, expect.stringContaining('no such file')])

  const advisories = join(folder, 'osv')
  await mkdir(advisories)
  for (const [id, modified] of Object.entries({ 'GHSA-1': '2026-01-01T00:00:00Z', 'GHSA-2': undefined })) {
    const advisory = { id, aliases: ['CVE-2024-0001'], modified, details: 'Long text' }
    await writeFile(join(advisories, `${id}.json`), JSON.stringify(advisory, null, 2))
  }
  expect(await run([advisories])).toBe(true)
  expect(printed.splice(0)).toEqual([`${advisories}: loaded 4 rows of osv`])
  const reopened = await openDatabaseFor(settings)
  onTestFinished(() => reopened.close())
  expect(await run([`${advisories}/`])).toBe(true)
  const copy = join(folder, 'feeds/osv.jsonl')
  expect(printed.splice(0)).toEqual([expect.stringContaining(`4 rows of osv copied to ${copy}; the running server`)])
  expect((await readFile(copy, 'utf8')).split('\n').sort()).toEqual([
    '',
    '{"id":"GHSA-1","aliases":["CVE-2024-0001"],"modified":"2026-01-01T00:00:00Z"}',
    '{"id":"GHSA-2","aliases":["CVE-2024-0001"]}',
  ])
  await writeFile(join(advisories, 'broken.json'), '{')
  expect(await run([advisories])).toBe(false)
  expect(printed.splice(0)).toEqual([expect.stringContaining('broken.json: not valid JSON')])
})
