import { expect, test } from 'vitest'
import { startProcess } from './process.ts'

test('the built program renders long texts and can then stop', async () => {
  const server = await startProcess()
  const text = '# Title\n\nSome *text*.\n\n'.repeat(5000)
  const response = await fetch(`${server.url}/api/v4/markdown`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': server.token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  const { html } = (await response.json()) as { html: string }
  expect(response.status).toBe(201)
  expect(html.match(/<em>text<\/em>/g)).toHaveLength(5000)
  expect(await server.stop()).toMatchObject({ code: 0 })
})
