import { expect, onTestFinished, test, vi } from 'vitest'
import { startServer } from '../../testing/server.ts'

test('lists that are not cached reuse one buffer, and show what has changed', async () => {
  const server = await startServer()
  const projects = []
  for (let n = 1; n <= 5; n++) projects.push(await server.project(`acme/site-${n}`))
  const list = async () => (await server.admin.get('/projects?order_by=id&sort=asc')).body
  expect(await list()).toHaveLength(5)

  const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow')
  onTestFinished(() => allocate.mockRestore())
  for (const { id } of projects) {
    await server.admin.put(`/projects/${id}`, { description: `Number ${id}` })
    const shown: { id: number; description: string | null }[] = await list()
    expect(shown.find((project) => project.id === id)?.description).toBe(`Number ${id}`)
  }
  // Each list has about 18 KB. Rows are smaller.
  expect(allocate.mock.calls.filter(([bytes]) => bytes > 10_000)).toEqual([])
})
