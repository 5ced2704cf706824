import type { VisitorTexts } from './en-visitor.ts';

export const texts: VisitorTexts = {
  signIn: {
    submit: 'Iniciar sesión',
    forgot: '¿Ha olvidado su contraseña?',
    or: 'o',
    sso: 'Inicio de sesión único',
    next: 'Continuar',
    change: 'Cambiar',
    continueAt: (organization) => `Continuar en ${organization}`,
    continueWith: 'Continuar con',
    passkey: 'Entrar con una llave de acceso',
    code: 'Recibir un código por correo',
    lastUsed: 'Último usado',
    toSso: 'Ir al inicio de sesión único',
    noAccount: '¿Es la primera vez?',
    done: {
      verified: 'Su cuenta está verificada. Inicie sesión para empezar.',
      reset: 'Su contraseña ha cambiado. Inicie sesión con la nueva.',
    },
  },
  passkeys: {
    use: 'Usar una llave de acceso',
    notUsed: 'No se ha usado ninguna llave de acceso. Inténtelo de nuevo o elija otra forma.',
    known: 'En este dispositivo ya hay una llave de acceso para su cuenta.',
    otherSite: 'Las llaves de acceso no funcionan en esta dirección. Elija otra forma.',
  },
  codeLogin: {
    explanation: 'Introduzca la dirección de su cuenta. Le enviaremos un código para iniciar sesión.',
    sentTo: 'Si hay una cuenta con esta dirección, hemos enviado un código a',
    otherAddress: 'Usar otra dirección',
    byLink: 'Va a iniciar sesión como',
    wrong: 'Este código no es correcto o ha caducado. Revise las cifras o solicite otro.',
  },
  sso: {
    explanation: 'Inicie sesión con la cuenta que tiene en su organización.',
    organization: 'Correo del trabajo u organización',
    hint: 'Por ejemplo, usted@empresa.com o el nombre corto de su organización.',
    submit: 'Continuar',
    unknown:
      'No se ha encontrado ninguna organización con inicio de sesión único. Revise la ortografía o pregunte a su administrador.',
    directory: 'Inicie sesión con el nombre de usuario y la contraseña de su organización.',
    finishing: 'Iniciando sesión…',
    otherWay: 'Iniciar sesión de otra forma',
  },
  invitation: {
    explanation:
      'Cree una cuenta con la dirección a la que se envió la invitación. Se unirá al equipo cuando introduzca el código que le enviaremos. Si ya tiene una cuenta, inicie sesión.',
    known: 'Inicie sesión para aceptar o rechazar la invitación. No ocurre nada hasta que la acepte.',
    address: 'La invitación se envió a',
    unexpected: '¿No la esperaba? Ignore el correo. No ocurre nada si no la acepta.',
  },
  undoEmail: {
    explanation:
      'La cuenta recuperará esta dirección y se cerrarán todas las sesiones. Después, elija una contraseña nueva.',
    submit: 'Deshacer el cambio',
    incomplete: 'Este enlace está incompleto. Ábralo otra vez desde el correo.',
    done: 'La cuenta vuelve a tener su dirección anterior. La contraseña anterior ya no sirve: elija una nueva.',
  },
  signUp: {
    submit: 'Crear la cuenta',
    passwordHint: 'Elija una que no use en ningún otro sitio. Mejor una frase que una palabra.',
    unverified:
      'La cuenta de esta dirección nunca se ha verificado. Créela de nuevo e introduzca el código que le enviaremos entonces.',
    haveAccount: '¿Ya tiene una cuenta?',
  },
  forgot: {
    explanation:
      'Introduzca la dirección de su cuenta. Le enviaremos un código para elegir una contraseña nueva.',
    submit: 'Enviar el código',
    back: 'Volver al inicio de sesión',
  },
  reset: {
    submit: 'Cambiar la contraseña',
  },
};
