import { useLocation } from 'wouter'
import { nowhere, type Place } from '../../components/page/screen-table.ts'
import { useLinks } from '../../components/page/screens.tsx'
import { useApiQuery } from '../../data/api.ts'
import { isUnlimited, levels, mayWrite, useSession } from '../../data/session.ts'
import { useSignOut } from '../../data/sign-out.ts'
import { applyTheme, themes, useTheme } from '../../data/theme.ts'
import { groupPattern } from '../../nouns/group/address.ts'
import { type GroupScreen, groupScreen, useGroupLevel } from '../../nouns/group/group.ts'
import type { ProjectScreen } from '../../nouns/project/project.ts'
import { projectScreen } from '../../nouns/project/project-scope.tsx'
import type { SearchResult } from './search-result.ts'
import { texts } from './texts.ts'

/** Matches the address of a project, whose path has at least two segments. */
const projectPattern = /^\/(?!-\/|explore\/|groups\/)(?<place>[^/]+(?:\/[^/]+)+?)(?:\/-\/.*)?\/?$/

/** Returns the project whose page is open. */
function useOpenProject(): ProjectScreen | undefined {
  const session = useSession()
  const [path] = useLocation()
  const place = projectPattern.exec(path)?.groups?.['place']
  const { data } = useApiQuery('GET /projects/{id}', { path: { id: place ?? '' } }, { isEnabled: place !== undefined })
  return data && place !== undefined ? projectScreen(data, session) : undefined
}

/** Returns the group whose page is open. */
function useOpenGroup(): GroupScreen | undefined {
  const [path] = useLocation()
  const place = groupPattern.exec(path)?.groups?.['place']
  const request = { path: { id: place ?? '' }, query: { with_projects: false } }
  const { data } = useApiQuery('GET /groups/{id}', request, { isEnabled: place !== undefined })
  const { level } = useGroupLevel(place)
  return data && level !== undefined ? groupScreen(data, level) : undefined
}

/** Returns the pages of the menus, of the Admin area and of the open project or group whose names contain the text. */
export function usePages(words: string): SearchResult[] {
  const session = useSession()
  const project = useOpenProject()
  const main = [...useLinks('header', 'main'), ...useLinks('home', 'main'), ...useLinks('account', 'main')]
  const admin = useLinks('tabs', 'admin')
  const group = useOpenGroup()
  const ofProject = usePlacePages('project', project)
  const ofGroup = usePlacePages('group', group)
  const pages = [
    ...main.map(({ to, label }) => ({ to, title: label })),
    { to: '/-/help', title: texts.help },
    ...(session.is_admin ? admin.map(({ to, label }) => ({ to, title: label, detail: texts.admin })) : []),
    ...(project ? ofProject.map((page) => ({ ...page, detail: project.project.name })) : []),
    ...(group ? ofGroup.map((page) => ({ ...page, detail: group.group.name })) : []),
  ]
  // A page may be in several menus; its first name stays.
  const byAddress = new Map(pages.toReversed().map((page) => [page.to, page]))
  return pages
    .filter((page) => byAddress.get(page.to) === page && contains(page.title, words))
    .map((page) => ({ key: texts.page(page.to), ...page }))
}

/** Returns the tabs of a project or group and the pages of its settings. */
function usePlacePages(area: 'project' | 'group', place: Place = nowhere): { to: string; title: string }[] {
  return [...useLinks('tabs', area, place), ...useLinks('settings', area, place)].map(({ to, label }) => ({
    to,
    title: label,
  }))
}

/** Returns the actions that the user may perform and whose names contain the text. */
export function useActions(words: string): SearchResult[] {
  const session = useSession()
  const project = useOpenProject()
  const signOut = useSignOut()
  const theme = useTheme()
  const isWriter = mayWrite(session)
  const mayImport = isWriter && project && !project.isReadOnly && project.level >= levels.developer
  const actions: Omit<SearchResult, 'key'>[] = [
    ...(isWriter && session.user?.can_create_project ? [{ to: '/-/projects/new', title: texts.newProject }] : []),
    ...(isWriter && session.user?.can_create_group ? [{ to: '/-/groups/new', title: texts.newGroup }] : []),
    ...(mayImport ? [{ to: project.to('reports/new'), title: texts.importReport, detail: project.project.name }] : []),
    ...(session.user && isUnlimited(session) ? [{ to: '/-/profile/tokens?create=true', title: texts.newToken }] : []),
    ...themes
      .filter((name) => name !== theme)
      .map((name) => ({ run: () => applyTheme(name), title: texts.themeAction(name) })),
    ...(session.user ? [{ run: () => void signOut(), title: texts.signOut }] : []),
  ]
  return actions
    .filter(({ title }) => contains(title, words))
    .map((action) => ({ key: texts.action(action.title), ...action }))
}

const contains = (title: string, words: string) => title.toLowerCase().includes(words.toLowerCase())
