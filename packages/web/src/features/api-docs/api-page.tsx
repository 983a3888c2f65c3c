import { Page } from '../../components/page.tsx'

export function ApiPage() {
  return <Page title="API">{null}</Page>
}
