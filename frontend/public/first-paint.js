// Runs before the first paint, so that nobody sees the wrong theme or the wrong text size flash by. The same rules
// as src/ui/theme.ts and src/ui/text-size.ts, which take over afterwards; a test holds the two together.
(function () {
  var root = document.documentElement;
  var theme = null;
  var size = null;
  try {
    theme = localStorage.getItem('theme');
    size = localStorage.getItem('text_size');
  } catch (error) {
    // Storage is refused (a strict browser): the system's preference and the normal size stand.
  }
  var dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.classList.toggle('dark', dark);
  if (size === '125' || size === '150' || size === '200') root.dataset.textSize = size;
})();
