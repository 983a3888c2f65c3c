import { LinkButton } from '../components/button.tsx'
import { useTitle } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'

export function NotFound() {
  useTitle('Not found')
  return (
    <Empty title="There is no such page" isPage>
      <p>The address may have a mistake in it, or what it named is gone.</p>
      <LinkButton to="/">Go to the start page</LinkButton>
    </Empty>
  )
}
