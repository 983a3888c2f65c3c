import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { entry } from '../../../../server/src/testing/reports/reports.ts'
import { folder, run } from '../../testing/command-run.ts'
import { type ListeningServer, listeningServer } from '../../testing/listening-server.ts'
import { readCsv } from './read-csv.ts'

let server: ListeningServer

beforeAll(async () => {
  server = await listeningServer({ clock: { now: '2026-05-01T10:00:00.000Z' } })
})

test('reads quotes, line breaks and empty cells of CSV', () => {
  const rows = [...readCsv('\ufeffa,b,c\r\n1,"x ""y"", z\nlast",\n\n,,3\n4,5')]
  expect(rows.map((row) => [...row.values()])).toEqual([
    ['1', 'x "y", z\nlast', ''],
    ['', '', '3'],
    ['4', '5', ''],
  ])
  expect(() => [...readCsv('a\n"open')]).toThrow('a quote is not closed')
})

describe('alcove import csv', () => {
  test.each(['csv', 'json'] as const)('imports the %s that alcove export has written', async (format) => {
    const from = await server.project(`from/site-${format}`)
    const into = await server.project(`into/site-${format}`)
    await server.report(from, [entry({ line: 3, name: 'One, "two"' }), entry({ line: 90 })])
    const { body: rows } = await server.admin.get(`/projects/${from.id}/vulnerabilities?sort=detected_asc`)
    const decision = { dismissal_reason: 'false_positive', comment: 'Not reachable.', until: '2026-12-24' }
    await server.admin.post(`/vulnerabilities/${rows[0].id}/dismiss`, decision)
    const cwd = await folder()
    const output = `export.${format}`
    const command = (...args: string[]) => run(args, { env: server.env, cwd })
    const path = from['path_with_namespace']
    let isDone = false
    const exporting = command('export', '--project', path, '--format', format, '-o', output)
    void exporting.finally(() => {
      isDone = true
    })
    while (!isDone) {
      await server.runJobs()
      await setImmediate()
    }
    expect(await exporting).toMatchObject({ code: 0 })
    const importArgs = ['import', 'csv', '--project', into['path_with_namespace'], '--file', output]
    const preview = await command(...importArgs, '--dry-run')
    expect(preview.stdout).toContain('1  dismissed, false_positive → dismissed, false_positive')
    expect(await command(...importArgs)).toMatchObject({ code: 0, stderr: '' })
    const { body: imported } = await server.admin.get(`/projects/${into.id}/vulnerabilities?sort=detected_asc`)
    expect(imported).toMatchObject([
      { title: 'One, "two"', state: 'dismissed', dismissal_reason: 'false_positive', dismissed_until: '2026-12-24' },
      { state: 'detected' },
    ])
    // The scanner's report in the other project is recognised.
    await server.report(into, [entry({ line: 3, name: 'One, "two"' }), entry({ line: 90 })])
    expect((await server.admin.get(`/projects/${into.id}/vulnerabilities`)).body).toHaveLength(2)
  })

  test('imports a list of its own columns, and names what it does not know', async () => {
    const project = await server.project('acme/list')
    const cwd = await folder()
    const lines = [
      'ID,Vulnerability,Severity,Status,Dismissal Reason,Other Identifiers,File,Line,Tool,Tags,Comment,Decided By',
      '1,Flaw,High,dismissed,Used in tests,flaw,src/app.ts,3,sast,"a, b",Fine.,nadia',
      '2,Other,odd,open,,,,,sast,,,',
    ]
    await writeFile(join(cwd, 'list.csv'), lines.join('\n'))
    const args = ['import', 'csv', '--project', 'acme/list', '--file', 'list.csv']
    const done = await run(args, { env: server.env, cwd })
    expect(done).toMatchObject({ code: 0 })
    expect(done.stdout).toContain('1 finding: status “open” has no counterpart: is detected (2)')
    await server.report(project, [entry({ line: 4 })])
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc`)
    expect(body).toMatchObject([
      { title: 'Flaw', state: 'dismissed', dismissal_reason: 'used_in_tests', tags: ['a', 'b'] },
      { title: 'Other', state: 'detected', severity: 'unknown' },
    ])
  })

  test('refuses files without rows, names or import data', async () => {
    const cwd = await folder({
      'empty.csv': 'Vulnerability\n',
      'unnamed.csv': 'Severity\nHigh\n',
      'old.json': '[{"id":1}]',
      'broken.json': '[{',
    })
    await server.project('acme/refused')
    for (const [file, text] of [
      ['empty.csv', 'The CSV file has no rows.'],
      ['unnamed.csv', 'Row 1 has no text in the column Vulnerability'],
      ['old.json', 'is not an export of this version of Alcove'],
      ['broken.json', 'is not valid'],
    ] as const) {
      const done = await run(['import', 'csv', '--project', 'acme/refused', '--file', file], { env: server.env, cwd })
      expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining(text) })
    }
  })
})
