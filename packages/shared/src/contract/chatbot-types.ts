/** CONTRACT.md §Chatbots. */
export const CHATBOT_TYPES = ['3d', 'text', 'voice'] as const;
