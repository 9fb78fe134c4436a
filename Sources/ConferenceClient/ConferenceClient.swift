// ConferenceClient
