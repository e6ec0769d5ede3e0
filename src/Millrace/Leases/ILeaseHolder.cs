namespace Millrace.Leases;

/// <summary>Whoever relies on nobody writing to a file.</summary>
internal interface ILeaseHolder
{
    /// <summary>
    /// Somebody wants to write to the file and is kept waiting until the lease is given up. Called on the guardian's
    /// thread, which all files of the process share; may come without reason.
    /// </summary>
    void OnBreak();
}
