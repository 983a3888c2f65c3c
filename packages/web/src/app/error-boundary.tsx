import { Component, type ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/page/states.tsx'
import { texts } from './texts.ts'

/** Shows an error message instead of a blank page when rendering fails or a code chunk cannot be fetched. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div role="alert">
        <Empty title={texts.somethingWentWrong} isPage>
          <p>{texts.thePageCouldNotBeDisplayed}</p>
          <Button onClick={() => location.reload()}>{texts.reload}</Button>
        </Empty>
      </div>
    )
  }
}
