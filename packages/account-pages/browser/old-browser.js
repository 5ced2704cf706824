// Tells people with an old browser what the pages need. Any browser can run this script: it is not a module. color-mix()
// is the newest feature that the pages use.
if (
  !('noModule' in document.createElement('script')) ||
  !window.CSS ||
  !CSS.supports('color', 'color-mix(in oklab, red, blue)')
) {
  document.getElementById('old-browser').removeAttribute('hidden');
}
