import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { expect, test } from 'vitest'

test.skipIf(process.env['ALCOVE_TEST_DATABASE_URL'])('the test server ends when its process is killed', async () => {
  const program = `
    import { startPostgres } from '${new URL('./postgres.ts', import.meta.url)}'
    console.log((await startPostgres()).url)
    setInterval(() => {}, 1000)`
  const options = ['--import', 'tsx', '--input-type=module', '-e', program]
  const starter = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(starter.stdout, 'data')
  const folder = new URL(`${url}`.trim()).searchParams.get('host') ?? ''
  await access(folder)
  starter.kill('SIGKILL')
  const exists = () =>
    access(folder)
      .then(() => true)
      .catch(() => false)
  await expect.poll(exists, { timeout: 5_000 }).toBe(false)
})
