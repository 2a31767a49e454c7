// What is shown when a page breaks: a sentence and a way on, instead of an empty window. A page whose script cannot be
// fetched any more (a new version went out meanwhile, or the line is down) ends here too; loading anew mends both.

import { Component, type ComponentChildren, type ErrorInfo } from 'preact';

import { Button, ButtonAddress } from './ui/button';
import { RepeatIcon } from './ui/icons';
import { Page } from './ui/page';

interface Props {
  /** Another place is another try. */
  place: string;
  children: ComponentChildren;
}

interface State {
  brokenAt: string | undefined;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { brokenAt: undefined };

  override componentDidCatch(caught: unknown, _info: ErrorInfo) {
    console.error(caught);
    this.setState({ brokenAt: this.props.place });
  }

  render() {
    if (this.state.brokenAt !== this.props.place) return this.props.children;
    return (
      <Page title="Qualcosa non ha funzionato" lead="Questa pagina non si è aperta come doveva. Non è colpa tua, e quello che hai scritto non è perso.">
        <p class="actions">
          <Button variant="primary" icon={RepeatIcon} onClick={() => location.reload()}>
            Ricarica la pagina
          </Button>
          <ButtonAddress href="/">Torna alla Home</ButtonAddress>
        </p>
      </Page>
    );
  }
}
