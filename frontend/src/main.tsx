// First the ticket is taken out of the address bar, then anything else.
import './arrival';

import { render } from 'preact';

import { App } from './app';

const place = document.getElementById('app');
if (!place) throw new Error('index.html has no #app');
render(<App />, place);
