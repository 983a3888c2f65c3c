import { expect, test } from 'vitest'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

test('pipeline_id lists only what the import covers, also on a ref with many other findings of its scanner', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const named = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => entry({ name: `${name} ${index}`, file: `${name}-${index}.ts` }))
  const first = await server.report(project, named(1, 'early'), { category: 'a' })
  // More rows than are tested before candidates are read from an index.
  await server.report(project, named(700, 'later'), { category: 'b' })
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?pipeline_id=${first.id}`)
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['early 0'])
})
