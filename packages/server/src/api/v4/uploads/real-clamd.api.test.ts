import { expect, test } from 'vitest'
import { readSettings } from '../../../platform/settings/settings.ts'
import { formWithFile } from '../../../testing/client.ts'
import { zip } from '../../../testing/reports/zip.ts'
import { startServer } from '../../../testing/server.ts'

/** Address and socket of the clamd of `scripts/clamd.sh`, whose limits are 1 MiB for a file and 2 MiB for a stream. */
const addresses = [process.env['ALCOVE_TEST_CLAMD'], process.env['ALCOVE_TEST_CLAMD_SOCKET']]
const mib = 1024 * 1024
/** The EICAR test file, in parts, so that no scanner finds it here. */
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS', '-TEST-FILE!$H+H*'].join('')

test.runIf(addresses[0])(
  'a real clamd finds the test file, also in an archive, and scans no file over its limits',
  async () => {
    const server = await startServer()
    const project = await server.project('acme/scans')
    const base = `/projects/${project.id}/uploads`
    for (const address of [addresses[0], `unix:${addresses[1]}`]) {
      Object.assign(server.deps.settings, { clamd: readSettings({ ALCOVE_CLAMD: address }).clamd })
      expect((await server.admin.get('/admin/virus_scan')).body).toMatchObject({ reachable: true })
      const files: [name: string, content: string | Buffer, state: string][] = [
        ['clean.txt', 'the plan', 'clean'],
        ['empty.txt', '', 'clean'],
        ['large.txt', Buffer.alloc(mib - 1, 'x'), 'clean'],
        ['eicar.txt', eicar, 'infected'],
        ['eicar.zip', zip([{ name: 'inner.txt', content: eicar }]), 'infected'],
        ['over-the-limit-of-files.txt', Buffer.alloc(mib + 1, 'x'), 'not_scanned'],
        ['over-the-limit-of-streams.txt', Buffer.alloc(20 * mib, 'x'), 'not_scanned'],
      ]
      for (const [name, content, state] of files) {
        const { body } = await server.admin.post(base, formWithFile('file', name, content))
        await server.runJobs()
        const [listed] = (await server.admin.get(`${base}?upload_ids=${body.id}&with_details=true`)).body
        expect([name, listed.scan_state]).toEqual([name, state])
        expect([name, listed.scan_signature]).toEqual([name, state === 'infected' ? 'Alcove.Eicar.UNOFFICIAL' : null])
        expect((await server.admin.get(`${base}/${body.id}`)).status).toBe(state === 'infected' ? 403 : 200)
      }
    }
  },
)
