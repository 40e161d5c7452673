from sidings.api.kinds.secret import KIND

RULES = KIND.rules


def test_plain_text_is_encoded_and_wins():
    secret = {"data": {"a": "b2xk", "c": "ZA=="}, "stringData": {"a": "b"}}
    RULES.default(secret)
    assert secret == {"type": "Opaque", "data": {"a": "Yg==", "c": "ZA=="}}


def test_types_want_their_keys():
    errors = RULES.validate({"type": "kubernetes.io/tls", "data": {"tls.crt": ""}})
    assert [str(error) for error in errors] == ["data[tls.key]: Required value"]


def test_the_type_does_not_change():
    errors = RULES.validate_update({"type": "x"}, {"type": "Opaque"})
    assert [str(error) for error in errors] == ['type: Invalid value: "x": field is immutable']


def test_what_types_ask_for():
    def complaints(type_, **data):
        return [str(error) for error in KIND.rules.validate({"metadata": {}, "type": type_, "data": data})]

    basic = "kubernetes.io/basic-auth"
    assert complaints(basic, username="YQ==") == []
    assert complaints(basic) == ["data[username]: Required value", "data[password]: Required value"]
    assert complaints("kubernetes.io/service-account-token") == [
        "metadata.annotations[kubernetes.io/service-account.name]: Required value"
    ]
