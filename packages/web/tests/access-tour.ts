import { beforeAll, expect, test } from 'vitest'
import { writeDemoData } from '../../server/src/demo-command.ts'
import type { Client } from '../../server/src/testing/client.ts'
import { problemsInBothThemes } from './access-rules.ts'
import { addressOf, screensOf } from './all-screens.ts'
import { breadcrumbProblems } from './breadcrumbs.ts'
import { openOverlays } from './open-overlays.ts'
import { openSignedIn } from './sign-in.ts'
import { startWeb, visit, type Web } from './web.ts'

/** Starts a server with the last month of some projects of `alcove demo`, which has every kind of data. */
export async function startDemo(): Promise<Web> {
  const web = await startWeb()
  await writeDemoData(web.server.deps, web.server.admin.token ?? '', { isShort: true })
  return web
}

/** Number of screens that one test checks, so that none takes long. */
const perTest = 6

/**
 * Declares tests that check every screen of some areas of `app/screens.ts` with axe, together with the dialogs and menus
 * that it can open.
 */
export async function testAreas(areas: readonly string[], started: () => Web): Promise<void> {
  let ada: Client
  /** Kinds of buttons that a test has already pressed. */
  const pressed = new Set<string>()
  /** Styles of texts whose contrast a test has already checked. */
  const checked = new Set<string>()
  beforeAll(async () => {
    ada = await started().server.user('ada', { admin: true })
  })
  const screens = await screensOf(areas)
  const groups = Array.from({ length: Math.ceil(screens.length / perTest) }, (_, index) => ({
    from: index * perTest + 1,
    to: Math.min(screens.length, (index + 1) * perTest),
  }))

  test.each(groups)(
    'screens $from to $to have their breadcrumbs and no problem that axe finds, in light and dark',
    async ({ from, to }) => {
      const page = await openSignedIn(started(), 'ada', '/', { expects: /ERR_FAILED/ })
      // The buttons that are pressed shall open dialogs, and change nothing.
      await page.route('**', (route) => (route.request().method() === 'GET' ? route.fallback() : route.abort()))
      const problems: string[] = []
      const check = async (where: string, within?: string) => {
        const found = await problemsInBothThemes(page, { within, checked })
        problems.push(...found.map((problem) => `${where}: ${problem}`))
      }
      for (const screen of screens.slice(from - 1, to)) {
        const address = await addressOf(screen, started(), ada)
        await visit(page, address)
        problems.push(...(await breadcrumbProblems(page, screen)).map((problem) => `${address}: ${problem}`))
        await check(address)
        await openOverlays(page, pressed, (opener, within) => check(`${address} › ${opener}`, within))
      }
      expect(problems).toEqual([])
    },
    120_000,
  )
}
